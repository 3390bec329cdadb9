// The score of the best network on every set of variables, and of the best way to complete it: the dynamic programme of
// [silander2006], in 8 bytes per set.
//
//   M(S) = max over i ∈ S of  M(S∖i) + best_i(S∖i),   M(∅) = 0        the best network on S alone
//   R(S) = max over i ∉ S of  best_i(S) + R(S∪i),     R(V) = 0        the best families of the variables that follow S
//
// with best_i(C) the score of the best family of i whose parents are in C. Where families have few parents, the sets
// are walked in tiles, as in sums over orders (tile_walk.hpp), and best_i is built anew for each tile. Where all
// sets of parents are possible, best_i is kept for all sets (BestFamilies). Where families are a short list, it is
// looked up in it. Cost: O(n 2^n) transforms of length ten; or n² 2^(n-2) comparisons; or n 2^(n-1) searches of the
// list.
#pragma once

#include <cstdint>
#include <vector>

#include "dagscape/families.hpp"
#include "dagscape/monitor.hpp"
#include "dagscape/tiles.hpp"

namespace dagscape {

// Forwards M, backwards R. Values are relative to families.offset(); kRuledOut where nothing is possible. `sorted` are
// the same families, with or without those that are dominated. Scores by size must be of at least ten variables, and
// more than there may be parents.
std::vector<std::int64_t> best_scores(const FamilyScores& families, const SortedFamilies& sorted, Direction direction,
                                      unsigned threads, Monitor& monitor);

// Bytes that it takes besides the values themselves and the sorted families: with the scores it is given, by layout.
double best_scores_bytes_by_mask(unsigned n) noexcept;
double best_scores_bytes_by_size(unsigned n, unsigned max_parents, unsigned threads) noexcept;

}  // namespace dagscape
