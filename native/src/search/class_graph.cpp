#include "dagscape/search/class_graph.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dagscape/sets/equivalence.hpp"

namespace dagscape {
namespace {

using Rows = std::vector<Subset>;

bool is_empty(const Subset* set, std::size_t words) {
    return std::all_of(set, set + words, [](Subset word) { return word == 0; });
}

// Adds every edge u → v, v having u in its row, to the row of u.
void add_transposed(std::size_t n, std::size_t words, const Subset* rows, Subset* out) {
    for (unsigned v = 0; v < n; ++v) {
        for_each_member(rows + v * words, words, [&](unsigned u) { insert(out + u * words, v, words); });
    }
}

// Removes sinks whose undirected neighbours are adjacent to all their other neighbours [dor1992]. A removable vertex
// stays removable, so a vertex is checked again only after it has lost a neighbour.
class SinkRemoval {
public:
    SinkRemoval(std::size_t n, const Subset* directed, const Subset* undirected)
        : n_(n), words_(words_for(n)), lines_(undirected, undirected + n * words_), children_(n * words_),
          adjacent_(n * words_), ready_(words_), near_(words_) {
        add_transposed(n, words_, directed, children_.data());
        for (std::size_t i = 0; i < n * words_; ++i) adjacent_[i] = directed[i] | lines_[i] | children_[i];
    }

    // `dag` holds the directed edges; the undirected ones are added to it. Returns false if no sink is left.
    bool run(Subset* dag) {
        for (unsigned v = 0; v < n_; ++v) check(v);
        for (std::size_t left = n_; left > 0; --left) {
            const unsigned sink = first_ready();
            if (sink == n_) return false;
            for (std::size_t w = 0; w < words_; ++w) dag[sink * words_ + w] |= lines_[sink * words_ + w];
            remove(sink);
        }
        return true;
    }

private:
    Subset* row(Rows& rows, unsigned v) { return &rows[v * words_]; }

    unsigned first_ready() const {
        for (std::size_t w = 0; w < words_; ++w) {
            if (ready_[w] != 0) return static_cast<unsigned>(64 * w) + lowest(ready_[w]);
        }
        return static_cast<unsigned>(n_);
    }

    void check(unsigned v) {
        if (!contains(ready_.data(), v, words_) && removable(v)) insert(ready_.data(), v, words_);
    }

    bool removable(unsigned v) {
        if (!is_empty(row(children_, v), words_)) return false;
        const Subset* near = row(adjacent_, v);
        bool all = true;
        for_each_member(row(lines_, v), words_, [&](unsigned u) {
            const Subset* its = row(adjacent_, u);
            for (std::size_t w = 0; w < words_ && all; ++w) {
                const Subset itself = w == u / 64 ? singleton(u % 64) : 0;
                all = (near[w] & ~its[w] & ~itself) == 0;
            }
        });
        return all;
    }

    void remove(unsigned sink) {
        erase(ready_.data(), sink, words_);
        std::copy_n(row(adjacent_, sink), words_, near_.begin());
        for_each_member(near_.data(), words_, [&](unsigned u) {
            for (Rows* rows : {&adjacent_, &lines_, &children_}) erase(row(*rows, u), sink, words_);
        });
        for_each_member(near_.data(), words_, [&](unsigned u) { check(u); });
    }

    std::size_t n_, words_;
    Rows lines_, children_, adjacent_;
    Rows ready_, near_;
};

}  // namespace

bool consistent_extension(std::size_t n, const Subset* directed, const Subset* undirected, Subset* dag) {
    std::copy_n(directed, n * words_for(n), dag);
    return SinkRemoval(n, directed, undirected).run(dag);
}

ClassGraph::ClassGraph(std::size_t n, const Subset* dag, std::vector<Subset> forbidden)
    : n_(n), words_(words_for(n)), parents_(n * words_), neighbours_(n * words_), forbidden_(std::move(forbidden)),
      changed_(words_), constrained_(!is_empty(forbidden_.data(), forbidden_.size())) {
    assert(forbidden_.size() == n * words_);
    Pdag completed{Rows(n * words_), Rows(n * words_)};
    [[maybe_unused]] const std::size_t done =
        cpdags({dag, 1, n}, completed.directed.data(), completed.undirected.data());
    assert(done == 1);
    keep(std::move(completed));
}

void ClassGraph::reach(unsigned source, const Subset* blocked, Subset* found) const {
    std::fill_n(found, words_, Subset{0});
    insert(found, source, words_);
    stack_.assign(1, source);
    while (!stack_.empty()) {
        const Subset* next = forward(stack_.back());
        stack_.pop_back();
        for (std::size_t w = 0; w < words_; ++w) {
            const Subset met = next[w] & ~found[w] & ~blocked[w];
            found[w] |= met;
            for_each_member(met, [&](unsigned bit) { stack_.push_back(static_cast<unsigned>(64 * w) + bit); });
        }
    }
}

bool ClassGraph::insert_edge(unsigned x, unsigned y, const Subset* clique) {
    assert(!contains(adjacent(x), y, words_));
    Pdag next{parents_, neighbours_};
    insert(row(next.directed, y), x, words_);
    for_each_member(clique, words_, [&](unsigned t) {
        if (!contains(adjacent(x), t, words_)) direct(next, t, y);
    });
    return complete_and_keep(next);
}

bool ClassGraph::delete_edge(unsigned x, unsigned y, const Subset* clique) {
    assert(contains(adjacent(y), x, words_));
    Pdag next{parents_, neighbours_};
    erase(row(next.directed, y), x, words_);
    erase(row(next.undirected, y), x, words_);
    erase(row(next.undirected, x), y, words_);
    for_each_member(neighbours(y), words_, [&](unsigned h) {
        if (!contains(adjacent(x), h, words_) || contains(clique, h, words_)) return;
        direct(next, y, h);
        if (contains(neighbours(x), h, words_)) direct(next, x, h);
    });
    return complete_and_keep(next);
}

void ClassGraph::direct(Pdag& graph, unsigned from, unsigned to) const {
    erase(row(graph.undirected, from), to, words_);
    erase(row(graph.undirected, to), from, words_);
    insert(row(graph.directed, to), from, words_);
}

bool ClassGraph::complete_and_keep(const Pdag& graph) {
    Rows dag(n_ * words_);
    if (!consistent_extension(n_, graph.directed.data(), graph.undirected.data(), dag.data())) return false;
    Pdag completed{Rows(n_ * words_), Rows(n_ * words_)};
    cpdags({dag.data(), 1, n_}, completed.directed.data(), completed.undirected.data());
    if (constrained_ && !allowed_member(completed, dag.data())) return false;
    keep(std::move(completed));
    return true;
}

bool ClassGraph::allowed_member(const Pdag& completed, Subset* dag) const {
    Pdag forced = completed;
    for (unsigned v = 0; v < n_; ++v) {
        const Subset *agreed = &completed.directed[v * words_], *open = &completed.undirected[v * words_];
        for (std::size_t w = 0; w < words_; ++w) {
            if ((agreed[w] & forbidden(v)[w]) != 0) return false;
            // No u → v: the edge must be v → u.
            for_each_member(open[w] & forbidden(v)[w],
                            [&](unsigned bit) { direct(forced, v, static_cast<unsigned>(64 * w) + bit); });
        }
    }
    if (!consistent_extension(n_, forced.directed.data(), forced.undirected.data(), dag)) return false;
    // Forced directions may have made a v-structure of their own.
    Pdag again{Rows(n_ * words_), Rows(n_ * words_)};
    return cpdags({dag, 1, n_}, again.directed.data(), again.undirected.data()) == 1 &&
           again.directed == completed.directed && again.undirected == completed.undirected;
}

void ClassGraph::keep(Pdag&& completed) {
    std::fill(changed_.begin(), changed_.end(), Subset{0});
    for (unsigned v = 0; v < n_; ++v) {
        for (std::size_t w = 0; w < words_; ++w) {
            const std::size_t at = v * words_ + w;
            const Subset turned = completed.directed[at] ^ parents_[at];
            if (turned != 0 || completed.undirected[at] != neighbours_[at]) insert(changed_.data(), v, words_);
            changed_[w] |= turned;
        }
    }
    parents_ = std::move(completed.directed);
    neighbours_ = std::move(completed.undirected);
    forward_ = neighbours_;
    add_transposed(n_, words_, parents_.data(), forward_.data());
    adjacent_.resize(n_ * words_);
    for (std::size_t i = 0; i < n_ * words_; ++i) adjacent_[i] = forward_[i] | parents_[i];
}

void ClassGraph::member(Subset* dag) const {
    const Pdag completed{parents_, neighbours_};
    if (constrained_ && allowed_member(completed, dag)) return;
    consistent_extension(n_, parents_.data(), neighbours_.data(), dag);
}

}  // namespace dagscape
