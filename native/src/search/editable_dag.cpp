#include "dagscape/search/editable_dag.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace dagscape {
namespace {

bool intersect(const Subset* a, const Subset* b, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) {
        if ((a[w] & b[w]) != 0) return true;
    }
    return false;
}

void unite(Subset* into, const Subset* more, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) into[w] |= more[w];
}

std::size_t size(const Subset* set, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w) count += static_cast<std::size_t>(std::popcount(set[w]));
    return count;
}

}  // namespace

EditableDag::EditableDag(std::size_t n)
    : n_(n), words_(words_for(n)), parents_(n * words_), children_(n * words_), ancestors_(n * words_),
      descendants_(n * words_), above_(words_), below_(words_) {}

bool EditableDag::can_reverse(unsigned u, unsigned v) const noexcept {
    return !intersect(children(u), ancestors(v), words_);
}

void EditableDag::additions(unsigned v, std::span<bool> legal) const {
    assert(legal.size() == n_);
    const Subset *above = parents(v), *below = descendants(v);
    for (std::size_t w = 0; w < words_; ++w) {
        const Subset taken = above[w] | below[w];
        const std::size_t end = std::min<std::size_t>(64, n_ - 64 * w);
        for (std::size_t bit = 0; bit < end; ++bit) legal[64 * w + bit] = (taken >> bit & 1) == 0;
    }
    legal[v] = false;
}

void EditableDag::reversals(unsigned v, std::span<bool> legal) const {
    assert(legal.size() == n_);
    std::fill(legal.begin(), legal.end(), false);
    for_each_member(parents(v), words_, [&](unsigned u) { legal[u] = can_reverse(u, v); });
}

void EditableDag::add(unsigned u, unsigned v) {
    assert(can_add(u, v));
    insert(row(parents_, v), u, words_);
    insert(row(children_, u), v, words_);
    if (has_path(u, v)) return;
    // Work on copies: A(u) ∪ {u} and D(v) ∪ {v} are both the sets to add and the lists of the rows to change.
    std::copy(ancestors(u), ancestors(u) + words_, above_.begin());
    std::copy(descendants(v), descendants(v) + words_, below_.begin());
    insert(above_.data(), u, words_);
    insert(below_.data(), v, words_);
    for_each_member(below_.data(), words_, [&](unsigned d) { unite(row(ancestors_, d), above_.data(), words_); });
    for_each_member(above_.data(), words_, [&](unsigned a) { unite(row(descendants_, a), below_.data(), words_); });
}

void EditableDag::remove(unsigned u, unsigned v) {
    assert(has_edge(u, v));
    // Before the edge is removed, this tells whether it is the only path.
    const bool only_path = can_reverse(u, v);
    erase(row(parents_, v), u, words_);
    erase(row(children_, u), v, words_);
    if (!only_path) return;
    by_ancestors_.clear();
    for_each_member(descendants(v), words_,
                    [&](unsigned d) { by_ancestors_.emplace_back(size(ancestors(d), words_), d); });
    std::sort(by_ancestors_.begin(), by_ancestors_.end());
    std::fill(below_.begin(), below_.end(), Subset{0});
    recompute_ancestors(v, above_.data());
    if (replace_ancestors(v, above_.data())) insert(below_.data(), v, words_);
    for (const auto& [count, d] : by_ancestors_) {
        if (!intersect(parents(d), below_.data(), words_)) continue;
        recompute_ancestors(d, above_.data());
        if (replace_ancestors(d, above_.data())) insert(below_.data(), d, words_);
    }
}

void EditableDag::reverse(unsigned u, unsigned v) {
    assert(has_edge(u, v) && can_reverse(u, v));
    remove(u, v);
    add(v, u);
}

void EditableDag::recompute_ancestors(unsigned v, Subset* found) const {
    std::copy(parents(v), parents(v) + words_, found);
    for_each_member(parents(v), words_, [&](unsigned parent) { unite(found, ancestors(parent), words_); });
}

// Replaces the ancestors of v; returns whether any were lost.
bool EditableDag::replace_ancestors(unsigned v, const Subset* found) {
    bool changed = false;
    Subset* known = row(ancestors_, v);
    for (std::size_t w = 0; w < words_; ++w) {
        const Subset lost = known[w] & ~found[w];
        known[w] = found[w];
        changed = changed || lost != 0;
        for_each_member(
            lost, [&](unsigned bit) { erase(row(descendants_, static_cast<unsigned>(64 * w) + bit), v, words_); });
    }
    return changed;
}

}  // namespace dagscape
