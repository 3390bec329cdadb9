// NumPy arrays as arguments: contiguous, in memory, of one type and number of dimensions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>

namespace nb = nanobind;
using namespace nb::literals;

namespace dagscape {

template <class T, int dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// An array that the kernel fills.
template <class T, int dimensions>
using Output = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

auto view(const auto& array) { return std::span(array.data(), array.size()); }

}  // namespace dagscape
