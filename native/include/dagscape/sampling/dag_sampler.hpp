// Exact and independent samples of DAGs, from the forward table H of a sum over DAGs (dag_sum.hpp).
//
// A DAG is taken apart from its sinks. The state is a set S of variables that are left, with K ⊆ S known to be sinks of
// the DAG on S, and Y ⊆ S known to be none. With
//
//   b(S, K)    = H(S∖K) Π_{j∈K} A_j(S∖K)               the weight of the DAGs on S in which all of K are sinks
//   e(S; K, Y) = Σ_{T⊆Y} (-1)^|T| b(S, K∪T)             that of those in which, moreover, none of Y is a sink
//
// a step is one of two decisions:
//
//   - K is empty: is v ∉ Y a sink? Yes with weight e(S; {v}, Y), no with weight e(S; ∅, Y∪v). Likely sinks are asked
//     for first, so that Y remains small.
//   - Otherwise v ∈ K is removed: S' = S∖v, K' = K∖v. Members of Y may become sinks of S', and exactly those that do
//     must be parents of v. They are the set T ⊆ Y with weight e(S'; K'∪T, Y∖T) Σ {B_v(G): T ⊆ G ⊆ S'∖K'}; the parents
//     are a set G ⊇ T with weight B_v(G) (family_draw.hpp). Go on with S', K'∪T, Y∖T.
//
// The weights of all T together are two transforms of the 2^|Y| numbers b(S', K'∪T) and A_v(S'∖K'∖T). No b(S', K'∪T)
// exceeds b(S', K'), so they are plain doubles relative to this.
//
// Range and loss. Signs alternate, and a state whose e is small compared with b has lost digits. But the DAGs that
// share with such a sample all families removed so far have the weight of these times b, so a state is reached with a
// probability of at most e / b, and its expected error is at most that of b. Errors of all decisions add up; Loss has
// the sum. If rounding errors lead where no weight is left, the sample starts again.
#pragma once

#include <cstdint>
#include <span>

#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sampling/draws.hpp"
#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

class DagSampler {
public:
    // After the forward steps of a sum with a positive total. Everything must outlive this object.
    DagSampler(const ParentSums& sums, const DagSum& dags, std::span<const std::int64_t> scores, int unit_bits);

    // Each thread keeps up to `kept_bytes` of decisions, because samples share those at the top. Throws LostSample if a
    // sample had to start again too often.
    Loss draw(const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor) const;

    // Bytes of the numbers of one decision on each thread, without what is kept.
    static double bytes(unsigned n, unsigned threads) noexcept {
        return times_sets(5 * sizeof(double) * threads, n - 1);
    }

private:
    const ParentSums& sums_;
    const DagSum& dags_;
    std::span<const std::int64_t> scores_;
    int unit_bits_;
};

}  // namespace dagscape
