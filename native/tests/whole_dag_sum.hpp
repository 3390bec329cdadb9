// Runs all steps of a sum over DAGs, and adds all paths.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/path_sum.hpp"

namespace dagscape {

inline DagSumResult run_all_steps(DagSum& dags, Monitor& monitor) {
    dags.run_until(dags.steps(), monitor);
    return dags.result();
}

inline DagSumResult sum_over_dags(const ParentSums& sums, unsigned threads, Monitor& monitor) {
    DagSum dags(sums, threads);
    return run_all_steps(dags, monitor);
}

// `dags` must have run with its nondescendants recorded.
inline std::vector<double> all_paths(const ParentSums& sums, const DagSum& dags, unsigned threads, Monitor& monitor) {
    const std::size_t n = sums.n();
    std::vector<double> paths(n * n * n, 0);
    add_path_chunks(sums, dags, 0, path_chunks(sums.n()), paths, threads, monitor);
    return paths;
}

}  // namespace dagscape
