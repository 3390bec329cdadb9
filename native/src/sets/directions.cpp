#include "dagscape/sets/directions.hpp"

#include <algorithm>
#include <vector>

#include "dagscape/sets/word_sets.hpp"

namespace dagscape {
namespace {

// Graphs whose CPDAGs are computed at a time.
constexpr std::size_t kBlock = 256;

// Directs the edges of CPDAGs that limits fix, and those that follow, reusing the same buffers.
template <class Words>
class Orientation {
public:
    Orientation(std::size_t n, Words words, MemberLimits limits)
        : n_(static_cast<unsigned>(n)), words_(words), fixed_{limits.fixed, words}, unscored_(limits.unscored),
          children_data_(n * words), adjacent_data_(n * words), waiting_(words),
          children_{children_data_.data(), words}, adjacent_{adjacent_data_.data(), words} {}

    // Takes the edges of a graph, and the CPDAG of those into scored variables, which it directs further.
    void direct(const Subset* graph, Subset* directed, Subset* undirected) {
        parents_ = {graph, words_};
        arrows_ = {directed, words_};
        lines_ = {undirected, words_};
        start();
        for (unsigned child = 0; child < n_; ++child) direct_fixed(child);
        close();
        for_each_member(unscored_, words_, [&](unsigned child) { leave_open(child); });
    }

private:
    // Converts the CPDAG to children and neighbours.
    void start() {
        std::fill(waiting_.begin(), waiting_.end(), Subset{0});
        std::fill(children_data_.begin(), children_data_.end(), Subset{0});
        for (unsigned child = 0; child < n_; ++child) {
            for_each_member(arrows_[child], words_, [&](unsigned parent) { insert(children_[parent], child, words_); });
        }
        for (std::size_t at = 0; at < n_ * words_; ++at) {
            adjacent_data_[at] = arrows_.data[at] | lines_.data[at] | children_data_[at];
        }
    }

    void direct_fixed(unsigned child) {
        const bool scored = !contains(unscored_, child, words_);
        for (std::size_t w = 0; w < words_; ++w) {
            const Subset open = scored ? lines_[child][w] : ~Subset{0};
            for_each_member(parents_[child][w] & open & fixed_[child][w],
                            [&](unsigned bit) { point(static_cast<unsigned>(64 * w) + bit, child); });
        }
    }

    // An edge into an unscored variable joins no neighbours: it makes no v-structures.
    void point(unsigned parent, unsigned child) {
        erase(lines_[parent], child, words_);
        erase(lines_[child], parent, words_);
        insert(arrows_[child], parent, words_);
        insert(children_[parent], child, words_);
        insert(waiting_.data(), parent, words_);
        insert(waiting_.data(), child, words_);
        for (std::size_t w = 0; w < words_; ++w) waiting_[w] |= adjacent_[parent][w] | adjacent_[child][w];
    }

    // Applies the rules to the edges at waiting variables, until nothing changes.
    void close() {
        for (std::size_t w = 0; w < words_;) {
            if (waiting_[w] == 0) {
                ++w;
                continue;
            }
            const unsigned bit = lowest(waiting_[w]);
            waiting_[w] &= ~singleton(bit);
            visit(static_cast<unsigned>(64 * w) + bit);
            w = 0;
        }
    }

    void visit(unsigned a) {
        for (std::size_t w = 0; w < words_; ++w) {
            for_each_member(lines_[a][w], [&](unsigned bit) {
                const unsigned b = static_cast<unsigned>(64 * w) + bit;
                const bool forward = contains(parents_[b], a, words_);
                const unsigned parent = forward ? a : b, child = forward ? b : a;
                if (must_point(parent, child)) point(parent, child);
            });
        }
    }

    bool must_point(unsigned a, unsigned b) const {
        // Rule 1: c → a - b with c and b not adjacent would make a v-structure. Rule 2: a → c → b would close a cycle.
        for (std::size_t w = 0; w < words_; ++w) {
            if ((arrows_[a][w] & ~adjacent_[b][w]) != 0 || (children_[a][w] & arrows_[b][w]) != 0) return true;
        }
        return third_rule(a, b) || fourth_rule(a, b);
    }

    // a - c → b and a - d → b, with c and d not adjacent.
    bool third_rule(unsigned a, unsigned b) const {
        bool found = false;
        for_each_member(arrows_[b], words_, [&](unsigned c) {
            if (found || !contains(lines_[a], c, words_)) return;
            for (std::size_t w = 0; w < words_; ++w) {
                const Subset itself = w == word_of(c, words_) ? singleton(c % 64) : 0;
                found = found || (lines_[a][w] & arrows_[b][w] & ~adjacent_[c][w] & ~itself) != 0;
            }
        });
        return found;
    }

    // a - c → d → b with c and b not adjacent: if b → a, then a → c would close a cycle, and c → a make a v-structure.
    bool fourth_rule(unsigned a, unsigned b) const {
        bool found = false;
        for_each_member(arrows_[b], words_, [&](unsigned d) {
            for (std::size_t w = 0; w < words_; ++w) {
                found = found || (arrows_[d][w] & lines_[a][w] & ~adjacent_[b][w]) != 0;
            }
        });
        return found;
    }

    // The other edges into an unscored variable are in some members only.
    void leave_open(unsigned child) {
        for (std::size_t w = 0; w < words_; ++w) {
            const Subset open = parents_[child][w] & ~arrows_[child][w];
            lines_[child][w] |= open;
            for_each_member(open, [&](unsigned bit) { insert(lines_[64 * w + bit], child, words_); });
        }
    }

    unsigned n_;
    [[no_unique_address]] Words words_;
    SetRows<const Subset, Words> fixed_;
    const Subset* unscored_;
    std::vector<Subset> children_data_;
    std::vector<Subset> adjacent_data_;
    std::vector<Subset> waiting_;
    SetRows<Subset, Words> children_;
    SetRows<Subset, Words> adjacent_;
    SetRows<const Subset, Words> parents_{};
    SetRows<Subset, Words> arrows_{};
    SetRows<Subset, Words> lines_{};
};

template <class Words>
std::size_t limited_classes_of(GraphArray graphs, Words words, MemberLimits limits, Subset* directed,
                               Subset* undirected) {
    const std::size_t stride = graphs.stride();
    Orientation<Words> orientation(graphs.n, words, limits);
    std::vector<Subset> scored;
    for (std::size_t first = 0; first < graphs.count; first += kBlock) {
        const std::size_t count = std::min(kBlock, graphs.count - first), at = first * stride;
        const Subset* parents = graphs.parents + at;
        scored.assign(parents, parents + count * stride);
        for (std::size_t i = 0; i < count; ++i) {
            const SetRows<Subset, Words> rows{scored.data() + i * stride, words};
            for_each_member(limits.unscored, words,
                            [&](unsigned v) { std::fill(rows[v], rows[v] + words, Subset{0}); });
        }
        const std::size_t done = cpdags({scored.data(), count, graphs.n}, directed + at, undirected + at);
        if (done < count) return first + done;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t start = i * stride;
            orientation.direct(parents + start, directed + at + start, undirected + at + start);
        }
    }
    return graphs.count;
}

}  // namespace

std::size_t limited_classes(GraphArray graphs, MemberLimits limits, Subset* directed, Subset* undirected) {
    if (words_for(graphs.n) == 1) return limited_classes_of(graphs, OneWord{}, limits, directed, undirected);
    return limited_classes_of(graphs, words_for(graphs.n), limits, directed, undirected);
}

}  // namespace dagscape
