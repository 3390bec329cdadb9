// P(s ⇝ p ⇝ t): a directed path from s to t via p, for all triples, in O(4^n).
//
// Let W be the nondescendants of p, with p and t outside and s inside, and U ⊆ W∖s the nondescendants of s within W.
// Then s leads to p if and only if p has a parent outside U, which has probability 1 - A_p(U) / A_p(W):
//
//   P(s ⇝ p ⇝ t) = Σ_W q_p(W) / total · Σ_U h_s(W, U) / H(W) · (1 - A_p(U) / A_p(W))
//
// h_s(W, U), the weight of the DAGs on W in which the nondescendants of s are U, follows from the recurrence of
// dag_sum.hpp inside W. (Appendix B of [chen2016] needs O(n 7^(n-2)) for each relation.)
#pragma once

#include <cstddef>
#include <span>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

// The sets W are divided among this many chunks, or among 2^n if that is less.
std::size_t path_chunks(unsigned n) noexcept;

// Adds the probabilities of some chunks, indexed by (s * n + p) * n + t. If all chunks are added in order, the result
// has the same bits, however many are added together. `dags` must have run with its nondescendants recorded.
void add_path_chunks(const ParentSums& sums, const DagSum& dags, std::size_t first, std::size_t end,
                     std::span<double> paths, unsigned threads, Monitor& monitor);

// Bytes of the tables inside one set W, on all threads.
double path_sum_bytes(unsigned n, unsigned threads) noexcept;

}  // namespace dagscape
