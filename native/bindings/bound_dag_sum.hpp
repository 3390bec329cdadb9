// A sum over DAGs in steps, as Python holds it.
#pragma once

#include <memory>

#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

struct BoundDagSum {
    bool with_paths = false;
    std::unique_ptr<ParentSums> sums;
    std::unique_ptr<DagSum> dags;
};

}  // namespace dagscape
