#include "dagscape/best/modes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "dagscape/best/best_scores.hpp"
#include "dagscape/best/key_set.hpp"
#include "dagscape/sets/equivalence.hpp"
#include "dagscape/sets/set_index.hpp"
#include "dagscape/sets/tiles.hpp"

namespace dagscape {
namespace {

using Clock = std::chrono::steady_clock;

// The number of prefixes between two checks of the clock.
constexpr std::uint64_t kBetweenLooks = 256;

// The members of a set within a group, numbered by their order in it.
Subset packed(Subset set, Subset group) noexcept {
    Subset result = 0;
    for (unsigned bit = 0; group != 0; ++bit, group &= group - 1) {
        if ((set & group & -group) != 0) result |= singleton(bit);
    }
    return result;
}

// R of one group: for each subset of it that is already placed, the best possible score of the others.
class PatternDatabase {
public:
    PatternDatabase(const FamilyScores& families, const SortedFamilies& best, Subset group, unsigned threads,
                    Monitor& monitor)
        : group_(group) {
        const auto n = static_cast<unsigned>(std::popcount(group));
        if (n == families.n()) {
            values_ = best_scores(families, best, Direction::backwards, threads, monitor);
            return;
        }
        // Reduce each family to its part within the group.
        std::vector<std::int64_t> first{0}, scores;
        std::vector<Subset> sets;
        for_each_member(group, [&](unsigned child) {
            for (std::size_t rank = 0; rank < best.sets(child).size(); ++rank) {
                sets.push_back(packed(best.sets(child)[rank], group));
                scores.push_back(best.score(child, rank));
            }
            first.push_back(static_cast<std::int64_t>(sets.size()));
        });
        const FamilyScores part = FamilyScores::listed(first, sets, scores);
        const SortedFamilies sorted(part, SortedFamilies::Keep::undominated, threads, monitor);
        if (families.layout() == FamilyScores::Layout::by_size && n >= kLow) {
            const std::vector<std::int64_t> rows = by_size(sorted, part.max_parents());
            values_ = best_scores(FamilyScores::by_size(n, part.max_parents(), rows), sorted, Direction::backwards,
                                  threads, monitor);
        } else {
            values_ = best_scores(part, sorted, Direction::backwards, threads, monitor);
        }
    }

    std::int64_t operator()(Subset set) const noexcept {
        // A group of the first variables needs no packing.
        return values_[group_ == values_.size() - 1 ? set & group_ : packed(set, group_)];
    }
    std::size_t bytes() const noexcept { return values_.size() * sizeof(std::int64_t); }

private:
    static std::vector<std::int64_t> by_size(const SortedFamilies& families, unsigned max_parents) {
        const SetIndex index(families.n(), max_parents);
        const auto length = static_cast<std::size_t>(index.size());
        std::vector<std::int64_t> rows(families.n() * length, kImpossible);
        for (unsigned child = 0; child < families.n(); ++child) {
            for (std::size_t rank = 0; rank < families.sets(child).size(); ++rank) {
                std::array<std::uint16_t, 64> members;
                std::size_t size = 0;
                for_each_member(families.sets(child)[rank],
                                [&](unsigned v) { members[size++] = static_cast<std::uint16_t>(v); });
                rows[child * length + index.rank({members.data(), size})] = families.score(child, rank);
            }
        }
        return rows;
    }

    Subset group_;
    std::vector<std::int64_t> values_;
};

// An upper bound on the score of the variables outside a set.
class Bound {
public:
    Bound(const FamilyScores& families, const SortedFamilies& best, const std::vector<Subset>& groups, unsigned threads,
          Monitor& monitor) {
        for (const Subset group : groups) groups_.emplace_back(families, best, group, threads, monitor);
    }

    std::int64_t operator()(Subset set) const noexcept {
        std::int64_t sum = 0;
        for (const PatternDatabase& group : groups_) sum = std::max(sum + group(set), kRuledOut);
        return sum;
    }

    std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const PatternDatabase& group : groups_) sum += group.bytes();
        return sum;
    }

private:
    std::vector<PatternDatabase> groups_;
};

}  // namespace

class ModeSearch::Search {
public:
    Search(const FamilyScores& families, const ModeOptions& options, unsigned threads, Monitor& monitor)
        : n_(families.n()), options_(options), offset_(families.offset()),
          best_(families, SortedFamilies::Keep::undominated, threads, monitor),
          bound_(families, best_, options.groups, threads, monitor) {
        const std::uint32_t root = new_prefix();
        prefixes_[root] = {0, 0, ClassKey{}};
        push(root, bound_(0));
    }

    Outcome next(std::span<Subset> parents, std::span<std::uint8_t> order, std::int64_t& score, double seconds,
                 Monitor& monitor) {
        const auto start = Clock::now();
        for (std::uint64_t steps = 0; !open_.empty(); ++steps) {
            monitor.check();
            if (steps % kBetweenLooks == 0 && std::chrono::duration<double>(Clock::now() - start).count() >= seconds) {
                return Outcome::out_of_time;
            }
            if (bytes() > options_.most_bytes) return Outcome::out_of_room;
            std::pop_heap(open_.begin(), open_.end(), Later{*this});
            const std::uint32_t at = open_.back().prefix;
            open_.pop_back();
            const bool complete = prefixes_[at].set == (Subset{1} << n_) - 1;
            const ClassKey future = future_key(prefixes_[at].network, order_of(at), length(at));
            if (options_.merge && seen_.contains(future)) {
                ++counts_.merged;
            } else if (!newest_window_is_best(at)) {
                // The window extends further back than the variables that determine the future, so another prefix with
                // the same future may pass.
                ++counts_.failed;
            } else if (!complete) {
                if (options_.merge) seen_.insert(future);
                ++counts_.expanded;
                expand(at);
            } else if (report(at, parents, order, score)) {
                free_.push_back(at);
                return Outcome::found;
            }
            free_.push_back(at);
        }
        return Outcome::no_more;
    }

    std::int64_t bound() const noexcept { return open_.empty() ? kImpossible : open_.front().f + offset_; }
    Counts counts() const noexcept { return counts_; }
    std::size_t bytes() const noexcept {
        return open_.capacity() * sizeof(Entry) + prefixes_.capacity() * sizeof(Prefix) + orders_.capacity() +
               seen_.bytes() + networks_.bytes() + free_.capacity() * sizeof(std::uint32_t) + bound_.bytes();
    }

private:
    struct Prefix {
        Subset set;
        std::int64_t score;
        ClassKey network;  // on the placed variables
    };

    struct Entry {
        std::int64_t f;
        std::uint32_t prefix;
    };

    // Whether a is expanded after b.
    struct Later {
        const Search& search;
        bool operator()(const Entry& a, const Entry& b) const noexcept {
            if (a.f != b.f) return a.f < b.f;
            const unsigned first = search.length(a.prefix), second = search.length(b.prefix);
            const int difference =
                std::memcmp(search.order_of(a.prefix), search.order_of(b.prefix), std::min(first, second));
            return difference != 0 ? difference > 0 : first > second;
        }
    };

    std::uint8_t* order_of(std::uint32_t prefix) noexcept { return &orders_[std::size_t{prefix} * n_]; }
    const std::uint8_t* order_of(std::uint32_t prefix) const noexcept { return &orders_[std::size_t{prefix} * n_]; }

    unsigned length(std::uint32_t prefix) const noexcept {
        return static_cast<unsigned>(std::popcount(prefixes_[prefix].set));
    }

    std::uint32_t new_prefix() {
        if (!free_.empty()) {
            const std::uint32_t prefix = free_.back();
            free_.pop_back();
            return prefix;
        }
        prefixes_.emplace_back();
        orders_.resize(orders_.size() + n_);
        return static_cast<std::uint32_t>(prefixes_.size() - 1);
    }

    void push(std::uint32_t prefix, std::int64_t bound) {
        open_.push_back({prefixes_[prefix].score + bound, prefix});
        std::push_heap(open_.begin(), open_.end(), Later{*this});
        ++counts_.generated;
    }

    // The network and the last variables determine the future of a prefix.
    ClassKey future_key(ClassKey network, const std::uint8_t* order, unsigned size) const {
        Subset tail = 1;
        for (unsigned i = size - std::min(size, options_.delta); i < size; ++i) tail = tail << 6 | order[i];
        network.add_tail(tail);
        return network;
    }

    void expand(std::uint32_t at) {
        const Subset everything = (Subset{1} << n_) - 1;
        const Subset placed = prefixes_[at].set;
        const unsigned size = length(at);
        for_each_member(everything & ~placed, [&](unsigned v) {
            const std::size_t rank = best_.next_within(v, placed, 0);
            if (rank == best_.sets(v).size()) return;
            Prefix child = prefixes_[at];
            child.set |= singleton(v);
            child.score += best_.score(v, rank);
            child.network.add_family(v, best_.sets(v)[rank]);
            const std::int64_t bound = bound_(child.set);
            if (bound == kRuledOut) return;
            const std::uint32_t made = new_prefix();
            prefixes_[made] = child;
            std::memcpy(order_of(made), order_of(at), size);
            order_of(made)[size] = static_cast<std::uint8_t>(v);
            // The cheapest test, and the most common failure: such prefixes are not worth storing.
            if (options_.delta > 0 && size > 0 && last_two_should_swap(order_of(made) + size - 1, child.set)) {
                ++counts_.failed;
                free_.push_back(made);
                return;
            }
            if (options_.merge && seen_.contains(future_key(child.network, order_of(made), size + 1))) {
                ++counts_.merged;
                free_.push_back(made);
                return;
            }
            push(made, bound);
        });
    }

    bool newest_window_is_best(std::uint32_t at) {
        const unsigned size = length(at);
        const unsigned width = std::min(size, options_.delta + 1);
        if (width <= 2) return true;  // windows of two were tested when the prefix was generated
        const std::uint8_t* window = order_of(at) + (size - width);
        Subset before = prefixes_[at].set;
        for (unsigned i = 0; i < width; ++i) before &= ~singleton(window[i]);
        return is_best(window, width, before);
    }

    bool last_two_should_swap(const std::uint8_t* pair, Subset set) const noexcept {
        const Subset before = set & ~(singleton(pair[0]) | singleton(pair[1]));
        const std::int64_t own =
            best_.best_score(pair[0], before) + best_.best_score(pair[1], before | singleton(pair[0]));
        const std::int64_t other =
            best_.best_score(pair[1], before) + best_.best_score(pair[0], before | singleton(pair[1]));
        return other > own || (other == own && pair[1] < pair[0]);
    }

    bool is_best(const std::uint8_t* window, unsigned width, Subset before) {
        const unsigned delta = options_.delta;
        const unsigned all = (1U << width) - 1;
        // step[P][j] = best_{w_j}(B ∪ P); rest[P][b] = g(P, b).
        for (unsigned part = 0; part < all; ++part) {
            Subset standing = before;
            for_each_member(part, [&](unsigned i) { standing |= singleton(window[i]); });
            for_each_member(all & ~part, [&](unsigned j) { step_[part][j] = best_.best_score(window[j], standing); });
        }
        rest_[all].fill(0);
        for (unsigned part = all; part-- > 0;) {
            rest_[part].fill(kRuledOut);
            unsigned inversions = 0;
            for_each_member(all & ~part, [&](unsigned j) {
                for (unsigned b = inversions; b <= delta; ++b) {
                    rest_[part][b] = std::max(rest_[part][b], step_[part][j] + rest_[part | 1U << j][b - inversions]);
                }
                ++inversions;
            });
        }
        std::int64_t own = 0;
        for (unsigned i = 0; i < width; ++i) own += step_[(1U << i) - 1][i];
        if (rest_[0][delta] > own) return false;
        std::int64_t sofar = 0;
        for (unsigned i = 0; i < width; ++i) {
            const unsigned part = (1U << i) - 1;
            for (unsigned j = i + 1; j < width && j - i <= delta; ++j) {
                if (window[j] > window[i]) continue;
                if (sofar + step_[part][j] + rest_[part | 1U << j][delta - (j - i)] >= own) return false;
            }
            sofar += step_[part][i];
        }
        return true;
    }

    // Outputs a complete ordering, unless its network or its class was found before.
    bool report(std::uint32_t at, std::span<Subset> parents, std::span<std::uint8_t> order, std::int64_t& score) {
        Subset before = 0;
        for (unsigned i = 0; i < n_; ++i) {
            const unsigned v = order_of(at)[i];
            parents[v] = best_.sets(v)[best_.next_within(v, before, 0)];
            before |= singleton(v);
        }
        if (!networks_.insert(options_.distinct_classes ? class_key(parents) : prefixes_[at].network)) return false;
        std::copy_n(order_of(at), n_, order.begin());
        score = prefixes_[at].score + offset_;
        return true;
    }

    const unsigned n_;
    const ModeOptions options_;
    const std::int64_t offset_;
    const SortedFamilies best_;
    const Bound bound_;

    std::vector<Entry> open_;  // a heap
    std::vector<Prefix> prefixes_;
    std::vector<std::uint8_t> orders_;
    std::vector<std::uint32_t> free_;
    KeySet seen_, networks_;
    Counts counts_;
    std::array<std::array<std::int64_t, kMostDelta + 1>, 1U << (kMostDelta + 1)> step_, rest_;
};

ModeSearch::ModeSearch(const FamilyScores& families, const ModeOptions& options, unsigned threads, Monitor& monitor)
    : search_(std::make_unique<Search>(families, options, threads, monitor)) {}

ModeSearch::~ModeSearch() = default;

ModeSearch::Outcome ModeSearch::next(std::span<Subset> parents, std::span<std::uint8_t> order, std::int64_t& score,
                                     double seconds, Monitor& monitor) {
    return search_->next(parents, order, score, seconds, monitor);
}

std::int64_t ModeSearch::bound() const noexcept { return search_->bound(); }

ModeSearch::Counts ModeSearch::counts() const noexcept { return search_->counts(); }

std::size_t ModeSearch::bytes() const noexcept { return search_->bytes(); }

}  // namespace dagscape
