#include "dagscape/search/class_moves.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>

#include "dagscape/numbers/impossible.hpp"

namespace dagscape {
namespace {

using Set = std::vector<Subset>;

// The memory of a node of a map, besides the vectors in it: links, the allocator's own bytes, and the headers.
constexpr std::size_t kNodeBytes = 160;

std::size_t size(const Set& set) {
    std::size_t count = 0;
    for (const Subset word : set) count += static_cast<std::size_t>(std::popcount(word));
    return count;
}

// Members with larger numbers only.
void keep_after(unsigned member, Set& set) {
    std::fill_n(set.begin(), member / 64, Subset{0});
    set[member / 64] &= ~(singleton(member % 64) | (singleton(member % 64) - 1));
}

Set forbidden_parents(std::size_t n, const Subset* forbidden, const Subset* required) {
    const std::size_t words = words_for(n);
    Set all(forbidden, forbidden + n * words);
    // If u → v is required, v → u is forbidden.
    for (unsigned v = 0; v < n; ++v) {
        for_each_member(required + v * words, words, [&](unsigned u) { insert(&all[u * words], v, words); });
    }
    return all;
}

}  // namespace

ClassMoves::ClassMoves(std::size_t n, const Subset* dag, const Subset* forbidden, const Subset* required,
                       std::size_t max_parents, std::size_t most_bytes)
    : graph_(n, dag, forbidden_parents(n, forbidden, required)), words_(words_for(n)),
      required_(required, required + n * words_), separated_(n * words_), max_parents_(max_parents),
      most_bytes_(most_bytes), entries_(n), open_(words_) {
    for (unsigned v = 0; v < n; ++v) {
        for_each_member(required + v * words_, words_, [&](unsigned u) { insert(&required_[u * words_], v, words_); });
        for_each_member(graph_.forbidden(v), words_, [&](unsigned u) {
            if (contains(graph_.forbidden(u), v, words_)) insert(&separated_[v * words_], u, words_);
        });
    }
}

void ClassMoves::use(ClassOperators operators) {
    operators_ = operators;
    all_stale_ = true;
    for (Entries& entries : entries_) entries.clear();
    bytes_ = 0;
    questions_.clear();
    ties_.clear();
}

bool ClassMoves::refresh(Monitor& monitor) {
    questions_.clear();
    ties_.clear();
    for (unsigned child = 0; child < graph_.n(); ++child) {
        monitor.check();
        if (is_stale(child) && !list_entries(child, monitor)) return false;
        for (auto at = entries_[child].begin(); at != entries_[child].end(); ++at) {
            Entry& entry = at->second;
            find_eligible(child, at->first, entry);
            if (!is_subset(eligible(entry), asked(entry), words_)) questions_.emplace_back(child, at);
        }
    }
    all_stale_ = false;
    return true;
}

bool ClassMoves::is_stale(unsigned child) const {
    return all_stale_ || contains(graph_.changed(), child, words_) ||
           share_member(graph_.neighbours(child), graph_.changed(), words_);
}

// Entries with the same set B keep their answers.
bool ClassMoves::list_entries(unsigned child, Monitor& monitor) {
    previous_ = std::move(entries_[child]);
    entries_[child].clear();
    const std::size_t parents = size(Set(graph_.parents(child), graph_.parents(child) + words_));
    // An insert makes X a parent, too; after a delete, at most Pa(Y) ∪ K are left.
    const std::size_t more = operators_ == ClassOperators::kDelete ? 0 : 1;
    bool listed = true;
    if (parents + more <= max_parents_) {
        const std::size_t room = max_parents_ - parents - more;
        Set clique(words_);
        const Set candidates(graph_.neighbours(child), graph_.neighbours(child) + words_);
        listed = operators_ == ClassOperators::kEq1 ? list_eq1(child, room)
                                                    : list_cliques(child, clique, candidates, room, monitor);
    }
    for (const auto& [family, entry] : previous_) bytes_ -= entry_bytes(entry);
    previous_.clear();
    return listed;
}

// Adds an entry for the clique, and for all cliques that extend it by up to `room` candidates.
bool ClassMoves::list_cliques(unsigned child, Set& clique, const Set& candidates, std::size_t room, Monitor& monitor) {
    monitor.check();
    if (!add_entry(child, clique)) return false;
    if (room == 0) return true;
    bool listed = true;
    for_each_member(candidates.data(), words_, [&](unsigned member) {
        if (!listed) return;
        Set left = candidates;
        keep_after(member, left);
        for (std::size_t w = 0; w < words_; ++w) left[w] &= graph_.adjacent(member)[w];
        insert(clique.data(), member, words_);
        listed = list_cliques(child, clique, left, room - 1, monitor);
        erase(clique.data(), member, words_);
    });
    return listed;
}

bool ClassMoves::list_eq1(unsigned child, std::size_t room) {
    bool listed = add_entry(child, Set(words_));
    if (room == 0) return listed;
    const Subset* neighbours = graph_.neighbours(child);
    Set second(words_);
    for_each_member(neighbours, words_, [&](unsigned z) {
        Set single(words_);
        insert(single.data(), z, words_);
        listed = listed && add_entry(child, single);
        for (std::size_t w = 0; w < words_; ++w) second[w] |= graph_.neighbours(z)[w] & ~graph_.adjacent(child)[w];
    });
    erase(second.data(), child, words_);
    for_each_member(second.data(), words_, [&](unsigned x) {
        Set common(words_);
        for (std::size_t w = 0; w < words_; ++w) common[w] = neighbours[w] & graph_.adjacent(x)[w];
        const std::size_t members = size(common);
        bool clique = members <= room;
        for_each_member(common.data(), words_, [&](unsigned z) {
            Set others = common;
            erase(others.data(), z, words_);
            clique = clique && is_subset(others.data(), graph_.adjacent(z), words_);
        });
        if (clique && members > 1) listed = listed && add_entry(child, common);
    });
    return listed;
}

bool ClassMoves::add_entry(unsigned child, const Set& clique) {
    Set family = clique;
    for (std::size_t w = 0; w < words_; ++w) family[w] |= graph_.parents(child)[w];
    if (auto known = previous_.extract(family)) {
        known.mapped().stale = true;
        entries_[child].insert(std::move(known));
        return true;
    }
    const auto [at, added] = entries_[child].try_emplace(std::move(family));
    if (!added) return true;
    at->second.rows.assign(3 * words_, Subset{0});
    bytes_ += entry_bytes(at->second);
    return bytes_ <= most_bytes_;
}

std::size_t ClassMoves::entry_bytes(const Entry& entry) const noexcept {
    return kNodeBytes + 4 * words_ * sizeof(Subset) + entry.improvements.capacity() * sizeof(entry.improvements[0]);
}

ClassMoves::Set ClassMoves::clique_of(unsigned child, const Set& family) const {
    Set clique = family;
    for (std::size_t w = 0; w < words_; ++w) clique[w] &= graph_.neighbours(child)[w];
    return clique;
}

void ClassMoves::find_eligible(unsigned child, const Set& family, Entry& entry) {
    const Set clique = clique_of(child, family);
    if (operators_ == ClassOperators::kDelete) {
        find_deletable(child, clique, entry);
        return;
    }
    if (entry.stale || share_member(reached(entry), graph_.changed(), words_)) {
        graph_.reach(child, clique.data(), reached(entry));
        entry.stale = false;
    }
    find_insertable(child, clique, entry);
    if (operators_ == ClassOperators::kEq1) keep_insertable_by_eq1(clique, entry);
    drop_forbidden(child, family, entry);
}

// Not adjacent, not reached, and NA ⊆ K: not adjacent to the other neighbours of the child.
void ClassMoves::find_insertable(unsigned child, const Set& clique, Entry& entry) {
    Subset* found = eligible(entry);
    for (std::size_t w = 0; w < words_; ++w) {
        found[w] = ~(graph_.adjacent(child)[w] | reached(entry)[w] | separated_[child * words_ + w]);
    }
    if (graph_.n() % 64 != 0) found[words_ - 1] &= singleton(graph_.n() % 64) - 1;
    for_each_member(graph_.neighbours(child), words_, [&](unsigned z) {
        if (contains(clique.data(), z, words_)) return;
        for (std::size_t w = 0; w < words_; ++w) found[w] &= ~graph_.adjacent(z)[w];
    });
}

// NA = ∅ and |K| ≤ 1, or NA = K and undirected edges to all of K.
void ClassMoves::keep_insertable_by_eq1(const Set& clique, Entry& entry) {
    Set distant(words_, size(clique) <= 1 ? ~Subset{0} : Subset{0});
    Set joined(words_, ~Subset{0});
    for_each_member(clique.data(), words_, [&](unsigned z) {
        for (std::size_t w = 0; w < words_; ++w) {
            distant[w] &= ~graph_.adjacent(z)[w];
            joined[w] &= graph_.neighbours(z)[w];
        }
    });
    for (std::size_t w = 0; w < words_; ++w) eligible(entry)[w] &= distant[w] | joined[w];
}

// An insert makes a v-structure of X → Y and P → Y for every P in B that is not adjacent to X: both edges are then in
// all members. Other moves that no allowed member can follow are found out when they are tried.
void ClassMoves::drop_forbidden(unsigned child, const Set& family, Entry& entry) {
    const Subset* forbidden = graph_.forbidden(child);
    Set against(words_);
    for (std::size_t w = 0; w < words_; ++w) against[w] = family[w] & forbidden[w];
    const bool some_against = size(against) > 0;
    Subset* found = eligible(entry);
    for (std::size_t w = 0; w < words_; ++w) {
        for_each_member(some_against ? found[w] : found[w] & forbidden[w], [&](unsigned bit) {
            const unsigned x = static_cast<unsigned>(64 * w) + bit;
            const Set& compelled = contains(forbidden, x, words_) ? family : against;
            if (!is_subset(compelled.data(), graph_.adjacent(x), words_)) erase(found, x, words_);
        });
    }
}

// Parents and neighbours that are adjacent to all of K.
void ClassMoves::find_deletable(unsigned child, const Set& clique, Entry& entry) {
    Subset* found = eligible(entry);
    for (std::size_t w = 0; w < words_; ++w) {
        found[w] = (graph_.parents(child)[w] | graph_.neighbours(child)[w]) & ~clique[w];
        found[w] &= ~required_[child * words_ + w];
    }
    for_each_member(clique.data(), words_, [&](unsigned z) {
        for (std::size_t w = 0; w < words_; ++w) found[w] &= graph_.adjacent(z)[w];
    });
}

bool ClassMoves::next(Question& question) {
    if (questions_.empty()) return false;
    const auto& [child, at] = questions_.back();
    for (std::size_t w = 0; w < words_; ++w) open_[w] = eligible(at->second)[w] & ~asked(at->second)[w];
    question = {child, at->first.data(), open_.data()};
    return true;
}

bool ClassMoves::answer(std::span<const std::int64_t> differences) {
    assert(!questions_.empty() && differences.size() == size(open_));
    const Set& family = questions_.back().second->first;
    Entry& answered = questions_.back().second->second;
    bytes_ -= entry_bytes(answered);
    std::size_t next = 0;
    for_each_member(open_.data(), words_, [&](unsigned x) {
        const std::int64_t difference = differences[next++];
        insert(asked(answered), x, words_);
        if (difference == kImpossible) return;
        // A delete undoes the addition of X to B if X is not in B.
        const bool undone = operators_ == ClassOperators::kDelete && !contains(family.data(), x, words_);
        const std::int64_t improvement = undone ? -difference : difference;
        if (improvement > 0) answered.improvements.emplace_back(improvement, x);
    });
    std::sort(answered.improvements.begin(), answered.improvements.end(), std::greater<>());
    bytes_ += entry_bytes(answered);
    questions_.pop_back();
    return bytes_ <= most_bytes_;
}

std::size_t ClassMoves::find_best(std::int64_t& improvement) {
    assert(questions_.empty());
    ties_.clear();
    improvement = 0;
    for (unsigned child = 0; child < graph_.n(); ++child) {
        for (auto at = entries_[child].begin(); at != entries_[child].end(); ++at) {
            for (const auto& [gain, x] : at->second.improvements) {
                if (gain < improvement) break;
                if (!contains(eligible(at->second), x, words_)) continue;
                if (gain > improvement) ties_.clear();
                improvement = gain;
                ties_.push_back({x, {child, at}});
            }
        }
    }
    return ties_.size();
}

ClassMoves::Move ClassMoves::best(std::size_t index) const {
    const auto& [x, entry] = ties_[index];
    const unsigned y = entry.first;
    Set clique = clique_of(y, entry.second->first), turned(words_);
    for (std::size_t w = 0; w < words_; ++w) {
        const Subset near = graph_.adjacent(x)[w];
        turned[w] =
            operators_ == ClassOperators::kDelete ? graph_.neighbours(y)[w] & near & ~clique[w] : clique[w] & ~near;
    }
    return {x, y, std::move(clique), std::move(turned)};
}

bool ClassMoves::apply(std::size_t index) {
    const Move move = best(index);
    const bool made = operators_ == ClassOperators::kDelete ? graph_.delete_edge(move.x, move.y, move.clique.data())
                                                            : graph_.insert_edge(move.x, move.y, move.clique.data());
    if (made) {
        ties_.clear();
        return true;
    }
    erase(eligible(ties_[index].entry.second->second), move.x, words_);
    ties_.erase(ties_.begin() + static_cast<std::ptrdiff_t>(index));
    return false;
}

}  // namespace dagscape
