#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/search/class_moves.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Graph = Input<Subset, 2>;
using Sets = Output<Subset, 2>;
using Members = Output<std::int64_t, 1>;

void check_shape(std::size_t n, std::size_t rows, std::size_t words) {
    if (n == 0 || rows != n || words != words_for(n)) {
        throw nb::value_error("graphs and constraints must have the shape (variables, words)");
    }
}

// Entries of fewer bytes are listed within milliseconds, which is not worth a separate thread.
constexpr std::size_t kBriefBytes = std::size_t{1} << 23;

// ClassMoves that checks the order of calls and the shapes of arrays; the kernel only asserts.
class CheckedMoves {
public:
    CheckedMoves(Graph dag, Graph forbidden, Graph required, std::size_t max_parents, std::size_t most_bytes)
        : n_(dag.shape(0)), words_(words_for(n_)) {
        for (const Graph* rows : {&dag, &forbidden, &required}) check_shape(n_, rows->shape(0), rows->shape(1));
        moves_.emplace(n_, dag.data(), forbidden.data(), required.data(), max_parents, most_bytes);
    }

    std::size_t bytes() const { return moves_->bytes(); }

    void use(int operators) {
        if (operators < 0 || operators > static_cast<int>(ClassOperators::kDelete)) {
            throw nb::value_error("there are no such operators");
        }
        moves_->use(static_cast<ClassOperators>(operators));
        found_ = 0;
        open_ = false;
        brief_ = false;
    }

    bool refresh() {
        bool listed = false;
        if (brief_) {
            Monitor monitor;
            nb::gil_scoped_release unlocked;
            listed = moves_->refresh(monitor);
        } else {
            run_monitored({}, [&](Monitor& monitor) { listed = moves_->refresh(monitor); });
        }
        found_ = 0;
        open_ = false;
        // One move changes the number of entries by a small factor.
        brief_ = moves_->bytes() < kBriefBytes;
        return listed;
    }

    // Writes the members of B and the variables X; returns the child and the two numbers of members, or nothing.
    std::optional<std::tuple<unsigned, std::size_t, std::size_t>> next(Members family, Members toggled) {
        if (family.size() != n_ || toggled.size() != n_) throw nb::value_error("the arrays must have n entries");
        ClassMoves::Question question{};
        open_ = moves_->next(question);
        if (!open_) return std::nullopt;
        asked_ = write(question.toggled, toggled);
        return std::tuple(question.child, write(question.family, family), asked_);
    }

    bool answer(Input<std::int64_t, 1> differences) {
        if (!open_ || differences.size() != asked_) throw nb::value_error("the answer does not match the question");
        open_ = false;
        return moves_->answer(view(differences));
    }

    std::pair<std::int64_t, std::size_t> find_best() {
        std::int64_t improvement = 0;
        found_ = moves_->find_best(improvement);
        return {improvement, found_};
    }

    // X, Y, and the neighbours of Y that the move directs.
    std::tuple<unsigned, unsigned, std::vector<unsigned>> best(std::size_t index) const {
        check(index);
        const ClassMoves::Move move = moves_->best(index);
        std::vector<unsigned> turned;
        for_each_member(move.turned.data(), words_, [&](unsigned member) { turned.push_back(member); });
        return {move.x, move.y, turned};
    }

    bool apply(std::size_t index) {
        check(index);
        const bool made = moves_->apply(index);
        found_ = made ? 0 : found_ - 1;
        return made;
    }

    void graph(Sets directed, Sets undirected) const {
        for (const Sets* rows : {&directed, &undirected}) check_shape(n_, rows->shape(0), rows->shape(1));
        for (unsigned v = 0; v < n_; ++v) {
            std::copy_n(moves_->graph().parents(v), words_, directed.data() + v * words_);
            std::copy_n(moves_->graph().neighbours(v), words_, undirected.data() + v * words_);
        }
    }

    void member(Sets dag) const {
        check_shape(n_, dag.shape(0), dag.shape(1));
        moves_->graph().member(dag.data());
    }

private:
    std::size_t write(const Subset* set, const Members& out) const {
        std::size_t count = 0;
        for_each_member(set, words_, [&](unsigned member) { out.data()[count++] = member; });
        return count;
    }

    void check(std::size_t index) const {
        if (index >= found_) throw nb::index_error("there is no such move");
    }

    std::size_t n_, words_;
    std::optional<ClassMoves> moves_;
    std::size_t found_ = 0;
    std::size_t asked_ = 0;
    bool open_ = false;
    bool brief_ = false;
};

}  // namespace

void bind_class_moves(nb::module_& module) {
    module.attr("CLASS_OPERATORS_EQ1") = static_cast<int>(ClassOperators::kEq1);
    module.attr("CLASS_OPERATORS_INSERT") = static_cast<int>(ClassOperators::kInsert);
    module.attr("CLASS_OPERATORS_DELETE") = static_cast<int>(ClassOperators::kDelete);
    nb::class_<CheckedMoves>(module, "ClassMoves")
        .def(nb::init<Graph, Graph, Graph, std::size_t, std::size_t>(), "dag"_a.noconvert(), "forbidden"_a.noconvert(),
             "required"_a.noconvert(), "max_parents"_a, "most_bytes"_a)
        .def_prop_ro("bytes", &CheckedMoves::bytes)
        .def("use", &CheckedMoves::use, "operators"_a)
        .def("refresh", &CheckedMoves::refresh)
        .def("next", &CheckedMoves::next, "family"_a.noconvert(), "toggled"_a.noconvert())
        .def("answer", &CheckedMoves::answer, "differences"_a.noconvert())
        .def("find_best", &CheckedMoves::find_best)
        .def("best", &CheckedMoves::best, "index"_a)
        .def("apply", &CheckedMoves::apply, "index"_a)
        .def("graph", &CheckedMoves::graph, "directed"_a.noconvert(), "undirected"_a.noconvert())
        .def("member", &CheckedMoves::member, "dag"_a.noconvert());
}

}  // namespace dagscape
