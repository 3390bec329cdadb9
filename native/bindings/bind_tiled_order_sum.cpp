#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/sets/set_index.hpp"
#include "dagscape/sums/tiled_order_sum.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Scores = Input<std::int64_t, 2>;
using Packed = Output<std::int64_t, 1>;
using Blocks = std::vector<Input<std::int64_t, 1>>;
using Numbers = Input<double, 1>;
using Matrix = Output<double, 2>;

// Keeps the arrays that the sum refers to.
struct BoundSum {
    Scores scores;
    Packed packed;
    std::unique_ptr<TiledOrderSum> sum;
};

unsigned rank_bits_of(unsigned n, unsigned ranks) {
    if (!std::has_single_bit(ranks) || std::bit_width(ranks) - 1 + kLow > n) {
        throw nb::value_error("the number of ranks must be a power of two, with ten variables left for each rank");
    }
    return static_cast<unsigned>(std::bit_width(ranks)) - 1;
}

void construct(BoundSum* bound, Scores scores, unsigned max_parents, int unit_bits, Packed packed, unsigned ranks,
               unsigned rank) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n < kLow || n > 40 || max_parents >= n || scores.shape(1) != SetIndex(n, max_parents).size()) {
        throw nb::value_error("the scores must have a row for each variable, and a column for each set of parents");
    }
    if (!can_be_tiled(n, view(scores), unit_bits)) {
        throw nb::value_error("the scores span a wider range than sums support");
    }
    const unsigned rank_bits = rank_bits_of(n, ranks);
    if (rank >= ranks) throw nb::value_error("ranks are numbered from 0");
    if (packed.size() != std::size_t{1} << (n - rank_bits)) {
        throw nb::value_error("there must be one packed number for each set of the rank");
    }
    std::unique_ptr<TiledOrderSum> sum;
    run_monitored({}, [&](Monitor&) {
        sum = std::make_unique<TiledOrderSum>(n, max_parents, view(scores), unit_bits,
                                              std::span(packed.data(), packed.size()), RankOfMany{rank_bits, rank});
    });
    new (bound) BoundSum{std::move(scores), std::move(packed), std::move(sum)};
}

SumBlock checked_block(const BoundSum& bound, unsigned bits, std::size_t index, const Blocks& received,
                       std::size_t expected) {
    if (bits < kLow || bits > bound.sum->own() || index >> (bound.sum->own() - bits) != 0) {
        throw nb::value_error("there is no such block");
    }
    const auto right_size = [&](const auto& packed) { return packed.size() == std::size_t{1} << bits; };
    if (received.size() != expected || !std::all_of(received.begin(), received.end(), right_size)) {
        throw nb::value_error("a block must come with the packed numbers of the same block of each neighbouring rank");
    }
    SumBlock block{bits, index, {}};
    for (const auto& packed : received) block.received.push_back(packed.data());
    return block;
}

// Blocks may be small, so that another thread is only worth its cost if there are several.
void run(unsigned threads, const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    threads == 1 ? run_on_this_thread(progress, kernel) : run_monitored(progress, kernel);
}

void forward(BoundSum& bound, unsigned block_bits, std::size_t block, const Blocks& received, unsigned threads,
             const Progress& progress) {
    const SumBlock checked = checked_block(bound, block_bits, block, received, bound.sum->received_forwards());
    run(threads, progress, [&](Monitor& monitor) { bound.sum->forward(checked, threads, monitor); });
}

void backward(BoundSum& bound, unsigned block_bits, std::size_t block, const Blocks& received, std::int64_t total,
              unsigned threads, const Progress& progress) {
    const SumBlock checked = checked_block(bound, block_bits, block, received, bound.sum->received_backwards());
    if (total == 0) throw nb::value_error("the total is zero");
    if (((block + 1) << block_bits) + bound.sum->sets_done() != bound.packed.size()) {
        throw nb::value_error("blocks must come in decreasing order");
    }
    run(threads, progress, [&](Monitor& monitor) { bound.sum->backward(checked, total, threads, monitor); });
}

// The mantissa and exponent of the sum over all orders, from the last packed number of the last rank.
std::pair<double, double> total(const BoundSum& bound, std::int64_t packed) {
    const ScaledNumber total = bound.sum->total(packed);
    return {total.mantissa, total.exponent};
}

void check_done(const BoundSum& bound) {
    if (!bound.sum->all_done()) throw nb::value_error("blocks are missing");
}

auto array_of(std::vector<double> numbers) {
    auto* kept = new std::vector<double>(std::move(numbers));
    const nb::capsule owner(kept, [](void* owned) noexcept { delete static_cast<std::vector<double>*>(owned); });
    return nb::ndarray<nb::numpy, double, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

auto shares(const BoundSum& bound) {
    check_done(bound);
    return array_of(bound.sum->shares());
}

void merge(BoundSum& bound, Numbers shares) {
    check_done(bound);
    const auto n = static_cast<unsigned>(bound.scores.shape(0));
    if (bound.sum->level() == n || shares.size() != bound.sum->share_count()) {
        throw nb::value_error("the shares must be those of the same level");
    }
    bound.sum->merge(view(shares));
}

// Fills the matrix; returns the mantissa and exponent of the total, and the disagreement.
std::tuple<double, double, double> finish(const BoundSum& bound, Matrix edges) {
    check_done(bound);
    const std::size_t n = bound.scores.shape(0);
    if (bound.sum->level() != n) throw nb::value_error("shares of other ranks are missing");
    if (edges.shape(0) != n || edges.shape(1) != n) throw nb::value_error("a matrix must have n rows and n columns");
    const OrderSumResult result = bound.sum->finish();
    std::copy(result.edges.begin(), result.edges.end(), edges.data());
    return {result.total_mantissa, result.total_exponent, result.disagreement};
}

auto state(const BoundSum& bound) { return array_of(bound.sum->state()); }

void restore(BoundSum& bound, Numbers state) {
    if (!bound.sum->restore(view(state))) throw nb::value_error("this is not the state of such a sum");
}

double bytes(unsigned n, unsigned max_parents, unsigned threads, bool wide, unsigned ranks) {
    return tiled_order_sum_bytes(n, max_parents, threads, wide, static_cast<unsigned>(std::bit_width(ranks)) - 1);
}

}  // namespace

void bind_tiled_order_sum(nb::module_& module) {
    module.attr("WIDEST_TILED") = kWidestTiled;
    module.def("tiled_order_sum_bytes", &bytes, "n"_a, "max_parents"_a, "threads"_a, "wide"_a = false, "ranks"_a = 1);
    nb::class_<BoundSum>(module, "TiledOrderSum")
        .def("__init__", &construct, "scores"_a.noconvert(), "max_parents"_a, "unit_bits"_a, "packed"_a.noconvert(),
             "ranks"_a = 1, "rank"_a = 0)
        .def("forward", &forward, "block_bits"_a, "block"_a, "received"_a, "threads"_a, "progress"_a.none())
        .def("backward", &backward, "block_bits"_a, "block"_a, "received"_a, "total"_a, "threads"_a,
             "progress"_a.none())
        .def("total", &total, "packed"_a)
        .def("shares", &shares)
        .def("merge", &merge, "shares"_a.noconvert())
        .def("finish", &finish, "edges"_a.noconvert())
        .def("state", &state)
        .def("restore", &restore, "state"_a.noconvert());
}

}  // namespace dagscape
