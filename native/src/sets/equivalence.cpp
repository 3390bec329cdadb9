#include "dagscape/sets/equivalence.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace dagscape {
namespace {

// The finaliser of SplitMix64, a bijection of words with random-looking output.
constexpr std::uint64_t mixed(std::uint64_t word) noexcept {
    word += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

constexpr std::uint64_t kSecondWord = 0x9FB21C651E98DF25;

void add_feature(ClassKey& key, std::uint64_t feature) noexcept {
    key.low += mixed(feature);
    key.high += mixed(feature ^ kSecondWord);
}

// Converts DAGs on n variables to CPDAGs, reusing the same buffers.
template <class Words>
class Labelling {
public:
    Labelling(std::size_t n, Words words)
        : n_(static_cast<unsigned>(n)), words_(words), order_(n), position_(n), path_(n), placed_(words), met_(words) {}

    // Returns false if the graph has a cycle.
    bool cpdag(const Subset* graph, Subset* directed, Subset* undirected) {
        const Parents parents{graph, words_};
        const SetRows<Subset, Words> compelled{directed, words_}, open{undirected, words_};
        if (!topological_order(parents)) return false;
        label_edges(parents, compelled);
        std::fill(undirected, undirected + n_ * words_, Subset{0});
        for (unsigned child = 0; child < n_; ++child) {
            for (std::size_t w = 0; w < words_; ++w) {
                const Subset above = parents[child][w] & ~compelled[child][w];
                open[child][w] |= above;
                for_each_member(above, [&](unsigned bit) { insert(open[64 * w + bit], child, words_); });
            }
        }
        return true;
    }

private:
    using Parents = SetRows<const Subset, Words>;

    // Depth-first search from each variable to parents that are not placed yet. It inspects parent sets 2n times, since
    // each inspection either finds a variable or places one. Returns false if there is a cycle.
    bool topological_order(Parents parents) {
        std::fill(placed_.begin(), placed_.end(), Subset{0});
        std::fill(met_.begin(), met_.end(), Subset{0});
        unsigned filled = 0;
        for (unsigned root = 0; root < n_; ++root) {
            if (contains(placed_.data(), root, words_)) continue;
            std::size_t depth = 0;
            path_[depth++] = root;
            insert(met_.data(), root, words_);
            while (depth > 0) {
                const unsigned last = path_[depth - 1];
                const unsigned parent = first_not_placed(parents[last]);
                if (parent == n_) {
                    insert(placed_.data(), last, words_);
                    order_[filled] = last;
                    position_[last] = filled++;
                    --depth;
                    continue;
                }
                // Visited but not placed: the parent is on the current path, which closes a cycle.
                if (contains(met_.data(), parent, words_)) return false;
                insert(met_.data(), parent, words_);
                path_[depth++] = parent;
            }
        }
        return true;
    }

    unsigned first_not_placed(const Subset* set) const {
        for (std::size_t w = 0; w < words_; ++w) {
            const Subset left = set[w] & ~placed_[w];
            if (left != 0) return static_cast<unsigned>(64 * w) + lowest(left);
        }
        return n_;
    }

    // The edges on which all members of the class agree, as parent sets (Label-Edges of [chickering1995]).
    void label_edges(Parents parents, SetRows<Subset, Words> compelled) {
        for (const unsigned child : order_) {
            const Subset* above = parents[child];
            unsigned last = n_;
            for_each_member(above, words_, [&](unsigned parent) {
                if (last == n_ || position_[parent] > position_[last]) last = parent;
            });
            if (last == n_) {
                std::fill(compelled[child], compelled[child] + words_, Subset{0});
                continue;
            }
            // The edge from the last parent decides for all: either all are compelled, or only those from parents with
            // a compelled edge into the last one.
            const bool all = decides_for_all(above, last, parents[last], compelled[last]);
            const Subset* agreed = all ? above : compelled[last];
            std::copy(agreed, agreed + words_, compelled[child]);
        }
    }

    bool decides_for_all(const Subset* above, unsigned last, const Subset* its_parents, const Subset* its_compelled) {
        for (std::size_t w = 0; w < words_; ++w) {
            const Subset itself = w == word_of(last, words_) ? singleton(last % 64) : 0;
            if ((its_compelled[w] & ~above[w]) != 0 || (above[w] & ~its_parents[w] & ~itself) != 0) return true;
        }
        return false;
    }

    unsigned n_;
    [[no_unique_address]] Words words_;
    std::vector<unsigned> order_;
    std::vector<unsigned> position_;
    std::vector<unsigned> path_;
    std::vector<Subset> placed_;
    std::vector<Subset> met_;
};

template <class Words>
std::size_t cpdags_of(GraphArray graphs, Words words, Subset* directed, Subset* undirected) {
    Labelling<Words> labelling(graphs.n, words);
    for (std::size_t i = 0; i < graphs.count; ++i) {
        const std::size_t at = i * graphs.stride();
        if (!labelling.cpdag(graphs.parents + at, directed + at, undirected + at)) return i;
    }
    return graphs.count;
}

// Writes the neighbours of each variable to `adjacent`.
template <class Words>
ClassKey key_of(SetRows<const Subset, Words> parents, std::size_t n, SetRows<Subset, Words> adjacent) {
    const Words words = parents.words;
    std::copy(parents[0], parents[n], adjacent[0]);
    for (unsigned child = 0; child < n; ++child) {
        for_each_member(parents[child], words, [&](unsigned parent) { insert(adjacent[parent], child, words); });
    }
    ClassKey key;
    for (unsigned child = 0; child < n; ++child) {
        const Subset* above = parents[child];
        for_each_member(above, words, [&](unsigned a) {
            key.add_edge(a, child);
            Subset later = ~(singleton(a % 64) | (singleton(a % 64) - 1));
            for (std::size_t w = word_of(a, words); w < words; ++w, later = ~Subset{0}) {
                for_each_member(above[w] & ~adjacent[a][w] & later, [&](unsigned bit) {
                    key.add_v_structure(a, child, static_cast<unsigned>(64 * w) + bit);
                });
            }
        });
    }
    return key;
}

template <class Words>
void class_keys_of(GraphArray graphs, Words words, std::uint64_t* halves) {
    std::vector<Subset> adjacent(graphs.stride());
    for (std::size_t i = 0; i < graphs.count; ++i) {
        const SetRows<const Subset, Words> parents{graphs.parents + i * graphs.stride(), words};
        const ClassKey key = key_of(parents, graphs.n, SetRows<Subset, Words>{adjacent.data(), words});
        halves[2 * i] = key.low;
        halves[2 * i + 1] = key.high;
    }
}

}  // namespace

std::size_t cpdags(GraphArray graphs, Subset* directed, Subset* undirected) {
    if (words_for(graphs.n) == 1) return cpdags_of(graphs, OneWord{}, directed, undirected);
    return cpdags_of(graphs, words_for(graphs.n), directed, undirected);
}

void ClassKey::add_edge(unsigned a, unsigned b) noexcept {
    if (a > b) std::swap(a, b);
    add_feature(*this, std::uint64_t{a} << 32 | b);
}

void ClassKey::add_v_structure(unsigned a, unsigned child, unsigned b) noexcept {
    if (a > b) std::swap(a, b);
    add_feature(*this, std::uint64_t{1} << 63 | std::uint64_t{a} << 42 | std::uint64_t{b} << 21 | child);
}

void ClassKey::add_family(unsigned child, Subset parents) noexcept {
    add_feature(*this, mixed(parents) + (std::uint64_t{1} << 61) + child);
}

void ClassKey::add_vertex(unsigned vertex) noexcept { add_feature(*this, std::uint64_t{1} << 62 | vertex); }

void ClassKey::add_tail(std::uint64_t tail) noexcept { add_feature(*this, mixed(tail) + 1); }

void class_keys(GraphArray graphs, std::uint64_t* halves) {
    if (words_for(graphs.n) == 1) {
        class_keys_of(graphs, OneWord{}, halves);
    } else {
        class_keys_of(graphs, words_for(graphs.n), halves);
    }
}

ClassKey class_key(std::span<const Subset> parents) {
    std::array<Subset, 64> adjacent;
    return key_of(SetRows<const Subset, OneWord>{parents.data(), {}}, parents.size(),
                  SetRows<Subset, OneWord>{adjacent.data(), {}});
}

}  // namespace dagscape
