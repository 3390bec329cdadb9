#include "dagscape/best/k_best.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

#include "dagscape/best/best_scores.hpp"
#include "dagscape/best/key_set.hpp"
#include "dagscape/sets/equivalence.hpp"

namespace dagscape {
namespace {

// A network on a set of variables: a network on the set without `sink`, and the parents of `sink`.
struct Stored {
    ClassKey key;
    std::int64_t score;
    const Stored* rest;
    Subset parents;
    unsigned sink;
};

struct Candidate {
    std::int64_t score;
    std::uint32_t rest, parents;  // i' and j
    std::uint32_t sink;

    // Whether this comes later: a heap has the first candidate on top.
    bool operator<(const Candidate& other) const noexcept {
        if (score != other.score) return score < other.score;
        if (sink != other.sink) return sink > other.sink;
        if (rest != other.rest) return rest > other.rest;
        return parents > other.parents;
    }
};

// The bytes that an allocation takes: allocators add a header, and round up.
constexpr std::size_t allocated(std::size_t bytes) noexcept {
    return bytes == 0 ? 0 : std::max<std::size_t>((bytes + sizeof(std::size_t) + 15) / 16 * 16, 32);
}

}  // namespace

class BestNetworks::Search {
public:
    Search(const FamilyScores& families, Space space, unsigned threads, std::size_t most_bytes, Monitor& monitor,
           std::size_t bytes_per_network)
        : n_(families.n()), space_(space), most_bytes_(most_bytes), bytes_per_network_(bytes_per_network),
          offset_(families.offset()), families_(families, SortedFamilies::Keep::all, threads, monitor),
          best_(best_scores(families, families_, Direction::forwards, threads, monitor)) {}

    bool next(std::span<Subset> parents, std::int64_t& score, Monitor& monitor) {
        monitor_ = &monitor;
        List& everything = list((Subset{1} << n_) - 1);
        const Stored* found = get(everything, asked_);
        if (found == nullptr) return false;
        ++asked_;
        score = found->score + offset_;
        for (; found->rest != nullptr; found = found->rest) parents[found->sink] = found->parents;
        return true;
    }

    std::size_t stored() const noexcept { return stored_.size(); }
    std::size_t bytes() const noexcept {
        return stored_.size() * kStoredBytes + vector_bytes_ + seen_.bytes_after_growth() + lists_.size() * kListBytes +
               asked_ * bytes_per_network_;
    }

private:
    struct List;

    // The state of one sink of a set.
    struct Sink {
        List* rest = nullptr;              // of the set without the sink, once requested
        std::vector<std::uint32_t> ranks;  // of the best families within that set, as far as requested
    };

    // The best networks on one set.
    struct List {
        Subset set;
        std::vector<Sink> sinks;  // in the order of the set
        std::vector<Candidate> heap;
        std::vector<const Stored*> found;
        bool owes_successors = false;  // of the last candidate popped
        Candidate taken{};
    };

    // A network in its deque, whose blocks are seldom filled exactly, and a list in its map: the node and two buckets.
    static constexpr std::size_t kStoredBytes = sizeof(Stored) + sizeof(Stored) / 8;
    static constexpr std::size_t kListBytes =
        allocated(sizeof(std::pair<const Subset, List>) + sizeof(void*)) + 2 * sizeof(void*);

    List& list(Subset set) {
        const auto [at, is_new] = lists_.try_emplace(set);
        List& made = at->second;
        if (!is_new) return made;
        made.set = set;
        if (set == 0) {
            append(made.found, store({ClassKey{}, 0, nullptr, 0, 0}));
            return made;
        }
        made.sinks.resize(static_cast<std::size_t>(std::popcount(set)));
        // Most lists never need more room than for the initial candidates and one more.
        made.heap.reserve(made.sinks.size() + 1);
        vector_bytes_ += allocated(made.sinks.capacity() * sizeof(Sink));
        vector_bytes_ += allocated(made.heap.capacity() * sizeof(Candidate));
        for_each_member(set, [&](unsigned sink) {
            const std::int64_t rest = best_[set & ~singleton(sink)];
            if (rest == kRuledOut || !find_parents(made, sink, 0)) return;
            push(made, {rest + families_.score(sink, sink_of(made, sink).ranks[0]), 0, 0, sink});
        });
        return made;
    }

    Sink& sink_of(List& of, unsigned sink) {
        return of.sinks[static_cast<std::size_t>(std::popcount(of.set & (singleton(sink) - 1)))];
    }

    // Whether a sink has more than `count` families within the rest of the set.
    bool find_parents(List& of, unsigned sink, std::size_t count) {
        std::vector<std::uint32_t>& ranks = sink_of(of, sink).ranks;
        while (ranks.size() <= count) {
            const std::size_t from = ranks.empty() ? 0 : ranks.back() + std::size_t{1};
            const std::size_t rank = families_.next_within(sink, of.set & ~singleton(sink), from);
            if (rank == families_.sets(sink).size()) return false;
            append(ranks, static_cast<std::uint32_t>(rank));
        }
        return true;
    }

    // The network with the given rank on a set, or null if there is none.
    const Stored* get(List& of, std::size_t rank) {
        while (of.found.size() <= rank) {
            if (!extend(of)) return nullptr;
        }
        return of.found[rank];
    }

    // Finds one more network on a set.
    bool extend(List& of) {
        for (;;) {
            if (of.owes_successors) push_successors(of);
            of.owes_successors = false;
            if (of.heap.empty()) return false;
            monitor_->check();
            std::pop_heap(of.heap.begin(), of.heap.end());
            of.taken = of.heap.back();
            of.heap.pop_back();
            of.owes_successors = true;
            const Sink& sink = sink_of(of, of.taken.sink);
            const Stored* rest = get(rest_of(of, of.taken.sink), of.taken.rest);
            const Subset parents = families_.sets(of.taken.sink)[sink.ranks[of.taken.parents]];
            const ClassKey key = grown_key(*rest, of.taken.sink, parents);
            if (!seen_.insert(key)) continue;
            append(of.found, store({key, of.taken.score, rest, parents, of.taken.sink}));
            return true;
        }
    }

    List& rest_of(List& of, unsigned sink) {
        List*& rest = sink_of(of, sink).rest;
        if (rest == nullptr) rest = &list(of.set & ~singleton(sink));
        return *rest;
    }

    void push_successors(List& of) {
        const Candidate last = of.taken;
        List& rest = rest_of(of, last.sink);
        if (find_parents(of, last.sink, last.parents + std::size_t{1})) {
            push(of, candidate(of, rest, last.sink, last.rest, last.parents + 1));
        }
        if (last.parents == 0 && get(rest, last.rest + std::size_t{1}) != nullptr) {
            push(of, candidate(of, rest, last.sink, last.rest + 1, 0));
        }
    }

    Candidate candidate(List& of, const List& rest, unsigned sink, std::uint32_t i, std::uint32_t j) {
        return {rest.found[i]->score + families_.score(sink, sink_of(of, sink).ranks[j]), i, j, sink};
    }

    void push(List& of, Candidate candidate) {
        append(of.heap, candidate);
        std::push_heap(of.heap.begin(), of.heap.end());
    }

    // Appends to a vector and updates the byte count. While a vector grows, its old and new items are both in memory.
    template <class Item>
    void append(std::vector<Item>& to, Item item) {
        const std::size_t before = allocated(to.capacity() * sizeof(Item));
        const bool grows = to.size() == to.capacity();
        if (grows && bytes() + allocated(2 * to.size() * sizeof(Item)) > most_bytes_) throw OutOfRoom{};
        to.push_back(item);
        if (grows) vector_bytes_ += allocated(to.capacity() * sizeof(Item)) - before;
    }

    const Stored* store(Stored network) {
        if (bytes() > most_bytes_) throw OutOfRoom{};
        stored_.push_back(network);
        return &stored_.back();
    }

    // The key of a network with one more variable. Networks on different sets have different keys too, because all keys
    // are in one set.
    ClassKey grown_key(const Stored& rest, unsigned sink, Subset parents) const {
        ClassKey key = rest.key;
        key.add_vertex(sink);
        if (space_ == Space::dags) {
            key.add_family(sink, parents);
            return key;
        }
        Subset waiting = parents;
        std::array<Subset, 64> above;
        for (const Stored* at = &rest; waiting != 0 && (parents & (parents - 1)) != 0; at = at->rest) {
            if (!contains(waiting, at->sink)) continue;
            above[at->sink] = at->parents;
            waiting &= ~singleton(at->sink);
        }
        for_each_member(parents, [&](unsigned a) {
            key.add_edge(a, sink);
            for_each_member(parents & (singleton(a) - 1), [&](unsigned b) {
                if (!contains(above[a], b) && !contains(above[b], a)) key.add_v_structure(b, sink, a);
            });
        });
        return key;
    }

    const unsigned n_;
    const Space space_;
    const std::size_t most_bytes_, bytes_per_network_;
    const std::int64_t offset_;
    const SortedFamilies families_;
    const std::vector<std::int64_t> best_;  // M
    Monitor* monitor_ = nullptr;
    std::size_t asked_ = 0;

    std::deque<Stored> stored_;
    std::unordered_map<Subset, List> lists_;
    KeySet seen_;
    std::size_t vector_bytes_ = 0;  // of all vectors in lists
};

BestNetworks::BestNetworks(const FamilyScores& families, Space space, unsigned threads, std::size_t most_bytes,
                           Monitor& monitor, std::size_t bytes_per_network)
    : search_(std::make_unique<Search>(families, space, threads, most_bytes, monitor, bytes_per_network)) {}

BestNetworks::~BestNetworks() = default;

bool BestNetworks::next(std::span<Subset> parents, std::int64_t& score, Monitor& monitor) {
    return search_->next(parents, score, monitor);
}

std::size_t BestNetworks::stored() const noexcept { return search_->stored(); }

std::size_t BestNetworks::bytes() const noexcept { return search_->bytes(); }

}  // namespace dagscape
