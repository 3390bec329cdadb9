// NumPy arrays as arguments: contiguous, in memory, of one type and number of dimensions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace dagscape {

template <class T, int dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// An array that the kernel fills.
template <class T, int dimensions>
using Output = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

auto view(const auto& array) { return std::span(array.data(), array.size()); }

// Whether `places` divides `count` entries into consecutive lists: it begins with 0, never falls, and ends with
// `count`.
bool divides(const auto& places, std::size_t count) {
    return !places.empty() && places.front() == 0 && std::cmp_equal(places.back(), count) &&
           std::is_sorted(places.begin(), places.end());
}

}  // namespace dagscape
