#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/search/move_evaluator.hpp"

namespace dagscape {
namespace {

using MoveTuple = std::tuple<MoveKind, unsigned, unsigned>;

// A MoveEvaluator that checks its arguments; the kernel only asserts.
class CheckedEvaluator {
public:
    // Edges whose parents come first in a topological order are added fastest.
    CheckedEvaluator(std::size_t n, Input<std::uint32_t, 2> edges, std::size_t visited)
        : evaluator_(graph(n, edges), visited) {}

    void set_edges(Input<std::uint32_t, 2> edges) {
        evaluator_.set_dag(graph(evaluator_.dag().n(), edges));
        best_ = {};
    }

    void set_scores(unsigned child, std::int64_t own, Input<std::int64_t, 1> changed) {
        check(child);
        if (changed.size() != evaluator_.dag().n()) throw nb::value_error("there must be one score for each variable");
        if (own == kImpossible) throw nb::value_error("the family is impossible");
        evaluator_.set_scores(child, own, view(changed));
        best_ = {};
    }

    std::int64_t score() const {
        check_scores();
        return evaluator_.score();
    }

    std::tuple<std::int64_t, std::uint64_t> best() {
        check_scores();
        best_ = evaluator_.best();
        return {best_.gain, best_.ties};
    }

    MoveTuple best_move(std::uint64_t number) const {
        check_scores();
        if (number >= best_.ties) throw nb::index_error("there is no best move of this number");
        return tuple(evaluator_.best_move(number));
    }

    std::uint64_t count(MoveKind kind) const {
        check_scores();
        return evaluator_.count(kind);
    }

    MoveTuple move(MoveKind kind, std::uint64_t number) const {
        if (number >= count(kind)) throw nb::index_error("there is no move of this number");
        return tuple(evaluator_.move(kind, number));
    }

    void apply(MoveKind kind, unsigned parent, unsigned child) {
        check(parent);
        check(child);
        check_scores();
        if (!evaluator_.is_legal({kind, {parent, child}})) throw nb::value_error("the move is not legal");
        evaluator_.apply({kind, {parent, child}});
        best_ = {};
    }

    void forget_visited() {
        evaluator_.forget_visited();
        best_ = {};
    }

private:
    static EditableDag graph(std::size_t n, const Input<std::uint32_t, 2>& edges) {
        if (edges.shape(1) != 2) throw nb::value_error("an edge must be a pair of variables");
        EditableDag dag(n);
        for (std::size_t i = 0; i < edges.shape(0); ++i) {
            const std::uint32_t parent = edges.data()[2 * i], child = edges.data()[2 * i + 1];
            if (parent >= n || child >= n) throw nb::index_error("a variable index is out of range");
            if (!dag.can_add(parent, child)) throw nb::value_error("the edges repeat one or have a cycle");
            dag.add(parent, child);
        }
        return dag;
    }

    static MoveTuple tuple(const EdgeMove& move) { return {move.kind, move.edge.parent, move.edge.child}; }

    void check(unsigned variable) const {
        if (variable >= evaluator_.dag().n()) throw nb::index_error("a variable index is out of range");
    }

    void check_scores() const {
        if (!evaluator_.has_all_scores()) throw nb::value_error("a child has no scores");
    }

    MoveEvaluator evaluator_;
    MoveEvaluator::Best best_;  // no move, after a change
};

}  // namespace

void bind_move_evaluator(nb::module_& module) {
    nb::enum_<MoveKind>(module, "MoveKind")
        .value("ADD", MoveKind::kAdd)
        .value("REMOVE", MoveKind::kRemove)
        .value("REVERSE", MoveKind::kReverse);
    nb::class_<CheckedEvaluator>(module, "MoveEvaluator")
        .def(nb::init<std::size_t, Input<std::uint32_t, 2>, std::size_t>(), "n"_a, "edges"_a.noconvert(), "visited"_a)
        .def_static("bytes", &MoveEvaluator::bytes, "n"_a)
        .def("set_edges", &CheckedEvaluator::set_edges, "edges"_a.noconvert())
        .def("set_scores", &CheckedEvaluator::set_scores, "child"_a, "own"_a, "changed"_a.noconvert())
        .def("best", &CheckedEvaluator::best)
        .def("best_move", &CheckedEvaluator::best_move, "number"_a)
        .def("count", &CheckedEvaluator::count, "kind"_a)
        .def("move", &CheckedEvaluator::move, "kind"_a, "number"_a)
        .def("apply", &CheckedEvaluator::apply, "kind"_a, "parent"_a, "child"_a)
        .def("forget_visited", &CheckedEvaluator::forget_visited)
        .def_prop_ro("score", &CheckedEvaluator::score);
}

}  // namespace dagscape
