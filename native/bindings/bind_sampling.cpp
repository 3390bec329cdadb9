#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_dag_sum.hpp"
#include "dagscape/sampling/dag_sampler.hpp"
#include "dagscape/sampling/order_sampler.hpp"
#include "dagscape/sets/set_index.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Scores = Input<std::int64_t, 2>;
using Seeds = Input<std::uint64_t, 1>;
using Parents = Output<Subset, 2>;
using ExactScores = Output<std::int64_t, 1>;
using Packed = Input<std::int64_t, 1>;

SampledRows rows_of(std::size_t n, const Seeds& seeds, Parents& parents, ExactScores& exact) {
    if (parents.shape(0) != seeds.size() || parents.shape(1) != n || exact.size() != seeds.size()) {
        throw nb::value_error("there must be a row of n sets and a score for each seed");
    }
    return {view(seeds), {parents.data(), parents.size()}, {exact.data(), exact.size()}};
}

void check_dense(const Scores& scores, std::size_t n) {
    if (n < 1 || n > 40 || scores.shape(0) != n || scores.shape(1) != std::size_t{1} << (n - 1)) {
        throw nb::value_error("the scores must have a row for each variable, and 2^(n-1) columns");
    }
}

// The losses (draws.hpp), the last of which is infinite if no sample can be drawn.
std::tuple<double, double, double> run_sampler(const Progress& progress, const std::function<Loss(Monitor&)>& sampler) {
    Loss loss;
    run_monitored(progress, [&](Monitor& monitor) {
        try {
            loss = sampler(monitor);
        } catch (const LostSample&) {
            loss.repeated = std::numeric_limits<double>::infinity();
        }
    });
    return {loss.of_sets, loss.of_families, loss.repeated};
}

std::tuple<double, double, double> sample_dags(const BoundDagSum& bound, Scores scores, int unit_bits, Seeds seeds,
                                               Parents parents, ExactScores exact, double kept_bytes, unsigned threads,
                                               const Progress& progress) {
    if (bound.dags->step() < bound.dags->forward_steps()) throw nb::value_error("the forward steps are not complete");
    check_dense(scores, bound.sums->n());
    const SampledRows rows = rows_of(bound.sums->n(), seeds, parents, exact);
    return run_sampler(progress, [&](Monitor& monitor) {
        return DagSampler(*bound.sums, *bound.dags, view(scores), unit_bits).draw(rows, kept_bytes, threads, monitor);
    });
}

// A and F of all sets, and the scores.
struct OrderTable {
    Scores scores;
    int unit_bits = 0;
    std::unique_ptr<ParentSums> sums;
    std::unique_ptr<SetSums> forward;
};

void construct_table(OrderTable* self, Scores scores, int unit_bits, unsigned threads, const Progress& progress) {
    check_dense(scores, scores.shape(0));
    if (!can_be_summed(view(scores), unit_bits)) {
        throw nb::value_error("the scores span a wider range than sums support");
    }
    OrderTable table{scores, unit_bits, nullptr, nullptr};
    run_monitored(progress, [&](Monitor& monitor) {
        const auto n = static_cast<unsigned>(scores.shape(0));
        monitor.expect(std::uint64_t{1} << n);
        table.sums = std::make_unique<ParentSums>(n, view(scores), unit_bits, threads, monitor);
        table.forward = std::make_unique<SetSums>(order_forward(*table.sums, threads, monitor));
    });
    new (self) OrderTable(std::move(table));
}

std::pair<double, double> total(const OrderTable& table) {
    const ScaledNumber total = table.forward->get((Subset{1} << table.sums->n()) - 1);
    return {total.mantissa, total.exponent};
}

std::tuple<double, double, double> sample_table(const OrderTable& table, Seeds seeds, Parents parents,
                                                ExactScores exact, double kept_bytes, unsigned threads,
                                                const Progress& progress) {
    const SampledRows rows = rows_of(table.sums->n(), seeds, parents, exact);
    return run_sampler(progress, [&](Monitor& monitor) {
        return sample_orders(*table.sums, *table.forward, view(table.scores), table.unit_bits, rows, kept_bytes,
                             threads, monitor);
    });
}

// Lists of families, and F of all sets as packed numbers.
struct OrderLists {
    Packed packed;
    int unit_bits = 0;
    std::unique_ptr<SortedFamilies> families;
};

void construct_lists(OrderLists* self, Scores scores, unsigned max_parents, int unit_bits, Packed packed,
                     unsigned threads, const Progress& progress) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n > 40 || max_parents >= n || scores.shape(1) != SetIndex(n, max_parents).size() ||
        packed.size() != std::size_t{1} << n) {
        throw nb::value_error("there must be a score for each variable and set of parents, and a number for each set");
    }
    OrderLists lists{packed, unit_bits, nullptr};
    run_monitored(progress, [&](Monitor& monitor) {
        const FamilyScores families = FamilyScores::by_size(n, max_parents, view(scores));
        lists.families = std::make_unique<SortedFamilies>(families, SortedFamilies::Keep::all, threads, monitor);
    });
    new (self) OrderLists(std::move(lists));
}

std::tuple<double, double, double> sample_lists(const OrderLists& lists, Seeds seeds, Parents parents,
                                                ExactScores exact, double kept_bytes, unsigned threads,
                                                const Progress& progress) {
    const SampledRows rows = rows_of(lists.families->n(), seeds, parents, exact);
    return run_sampler(progress, [&](Monitor& monitor) {
        return sample_listed_orders(*lists.families, lists.unit_bits, view(lists.packed), rows, kept_bytes, threads,
                                    monitor);
    });
}

// Bytes of the scores, A and the forward numbers of all sets, without what threads keep.
double dag_sampling_bytes(unsigned n, unsigned threads) {
    const double scores = times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    return at_most_endless(scores + ParentSums::bytes(n, threads) + DagSum::bytes(n, threads, false) +
                           DagSampler::bytes(n, threads));
}

double order_sampling_bytes(unsigned n, unsigned threads) {
    const double scores = times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    return at_most_endless(scores + ParentSums::bytes(n, threads) + order_sum_bytes(n));
}

// Besides those of the tiled sum.
double listed_order_sampling_bytes(unsigned n, unsigned max_parents, unsigned threads) {
    return at_most_endless(listed_family_bytes(n, max_parents, threads));
}

}  // namespace

void bind_sampling(nb::module_& module) {
    module.def("sample_dags", &sample_dags, "dags"_a, "scores"_a.noconvert(), "unit_bits"_a, "seeds"_a.noconvert(),
               "parents"_a.noconvert(), "exact"_a.noconvert(), "kept_bytes"_a, "threads"_a, "progress"_a.none());
    nb::class_<OrderTable>(module, "OrderTable")
        .def("__init__", &construct_table, "scores"_a.noconvert(), "unit_bits"_a, "threads"_a, "progress"_a.none())
        .def("total", &total)
        .def("sample", &sample_table, "seeds"_a.noconvert(), "parents"_a.noconvert(), "exact"_a.noconvert(),
             "kept_bytes"_a, "threads"_a, "progress"_a.none());
    nb::class_<OrderLists>(module, "OrderLists")
        .def("__init__", &construct_lists, "scores"_a.noconvert(), "max_parents"_a, "unit_bits"_a,
             "packed"_a.noconvert(), "threads"_a, "progress"_a.none())
        .def("sample", &sample_lists, "seeds"_a.noconvert(), "parents"_a.noconvert(), "exact"_a.noconvert(),
             "kept_bytes"_a, "threads"_a, "progress"_a.none());
    module.def("dag_sampling_bytes", &dag_sampling_bytes, "n"_a, "threads"_a);
    module.def("order_sampling_bytes", &order_sampling_bytes, "n"_a, "threads"_a);
    module.def("listed_order_sampling_bytes", &listed_order_sampling_bytes, "n"_a, "max_parents"_a, "threads"_a);
}

}  // namespace dagscape
