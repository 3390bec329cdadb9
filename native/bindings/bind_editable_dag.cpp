#include <span>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/search/editable_dag.hpp"

namespace dagscape {
namespace {

using Flags = Output<bool, 1>;

// An EditableDag that checks variable indices and moves; the kernel only asserts.
class CheckedDag {
public:
    explicit CheckedDag(std::size_t n) : dag_(n) {}

    bool has_path(unsigned source, unsigned target) const {
        check(source, target);
        return dag_.has_path(source, target);
    }

    bool can_add(unsigned parent, unsigned child) const {
        check(parent, child);
        return dag_.can_add(parent, child);
    }

    bool can_reverse(unsigned parent, unsigned child) const {
        check(parent, child);
        return dag_.has_edge(parent, child) && dag_.can_reverse(parent, child);
    }

    void additions(unsigned child, Flags legal) const { dag_.additions(child, checked(child, legal)); }
    void reversals(unsigned child, Flags legal) const { dag_.reversals(child, checked(child, legal)); }

    // A move is made only if it is legal; the return value tells whether it was.
    bool add(unsigned parent, unsigned child) {
        const bool legal = can_add(parent, child);
        if (legal) dag_.add(parent, child);
        return legal;
    }

    bool remove(unsigned parent, unsigned child) {
        check(parent, child);
        const bool legal = dag_.has_edge(parent, child);
        if (legal) dag_.remove(parent, child);
        return legal;
    }

    bool reverse(unsigned parent, unsigned child) {
        const bool legal = can_reverse(parent, child);
        if (legal) dag_.reverse(parent, child);
        return legal;
    }

private:
    void check(unsigned u, unsigned v) const {
        if (u >= dag_.n() || v >= dag_.n()) throw nb::index_error("a variable index is out of range");
    }

    std::span<bool> checked(unsigned child, const Flags& legal) const {
        check(child, child);
        if (legal.shape(0) != dag_.n()) throw nb::value_error("the output must have one entry for each variable");
        return {legal.data(), dag_.n()};
    }

    EditableDag dag_;
};

}  // namespace

void bind_editable_dag(nb::module_& module) {
    nb::class_<CheckedDag>(module, "EditableDag")
        .def(nb::init<std::size_t>(), "n"_a)
        .def("has_path", &CheckedDag::has_path, "source"_a, "target"_a)
        .def("can_add", &CheckedDag::can_add, "parent"_a, "child"_a)
        .def("can_reverse", &CheckedDag::can_reverse, "parent"_a, "child"_a)
        .def("additions", &CheckedDag::additions, "child"_a, "legal"_a.noconvert())
        .def("reversals", &CheckedDag::reversals, "child"_a, "legal"_a.noconvert())
        .def("add", &CheckedDag::add, "parent"_a, "child"_a)
        .def("remove", &CheckedDag::remove, "parent"_a, "child"_a)
        .def("reverse", &CheckedDag::reverse, "parent"_a, "child"_a);
}

}  // namespace dagscape
