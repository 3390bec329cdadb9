// The score of the best network on every set of variables, and of its best completion: the dynamic program of
// [silander2006], in 8 bytes per set.
//
//   M(S) = max over i ∈ S of  M(S∖i) + best_i(S∖i),   M(∅) = 0        the best network on S alone
//   R(S) = max over i ∉ S of  best_i(S) + R(S∪i),     R(V) = 0        the best families of the variables that follow S
//
// where best_i(C) is the score of the best family of i with parents in C. If families have few parents, the sets are
// walked in tiles, as in sums over orders (tile_walk.hpp), and best_i is rebuilt for each tile. If all parent sets are
// possible, best_i is stored for all sets (BestFamilies). If the families are a short list, best_i is looked up in the
// list. Cost, respectively: O(n 2^n) transforms of length ten, n² 2^(n-2) comparisons, or n 2^(n-1) searches of the
// list.
#pragma once

#include <cstdint>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/families.hpp"
#include "dagscape/sets/lattice_tasks.hpp"

namespace dagscape {

// Returns M forwards and R backwards. Values are relative to families.offset(), and kRuledOut where nothing is
// possible. `sorted` contains the same families, with or without the dominated ones. Scores by size need at least ten
// variables, and more variables than a family may have parents.
std::vector<std::int64_t> best_scores(const FamilyScores& families, const SortedFamilies& sorted, Direction direction,
                                      unsigned threads, Monitor& monitor);

// Bytes needed besides the values and the sorted families, including the scores passed in, for each layout.
double best_scores_bytes_by_mask(unsigned n) noexcept;
double best_scores_bytes_by_size(unsigned n, unsigned max_parents, unsigned threads) noexcept;

}  // namespace dagscape
