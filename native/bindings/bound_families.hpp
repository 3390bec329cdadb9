// Local scores as Python passes them to kernels: a view, and the arrays that it refers to.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "dagscape/scores/families.hpp"

namespace dagscape {

struct BoundFamilies {
    nanobind::object arrays;
    FamilyScores view;
};

}  // namespace dagscape
