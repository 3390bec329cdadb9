#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_families.hpp"
#include "dagscape/sets/set_index.hpp"
#include "dagscape/sets/tiles.hpp"

namespace dagscape {
namespace {

using Rows = Input<std::int64_t, 2>;
using Numbers = Input<std::int64_t, 1>;
using Sets = Input<Subset, 1>;

// Scores of larger absolute value would overflow in sums.
const FamilyScores& checked(const FamilyScores& view) {
    if (!view.in_range()) {
        throw nb::value_error("a score is outside the range in which sums of scores do not overflow (LARGEST_TOTAL)");
    }
    return view;
}

// No family may contain its own child: walks in tiles rely on it.
void check_children(const FamilyScores& view) {
    for (unsigned child = 0; child < view.n(); ++child) {
        view.for_each(child, [&](Subset set, std::int64_t) {
            if (contains(set, child)) throw nb::value_error("a child must not be a parent of itself");
        });
    }
}

// All 2^(n-1) sets of the other variables, by mask with the child's bit removed.
BoundFamilies by_mask(Rows scores) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n < 1 || n > kMostVariables || scores.shape(1) != std::size_t{1} << (n - 1)) {
        throw nb::value_error("the scores must have a row for each variable, and 2^(n-1) columns");
    }
    return {nb::cast(scores), checked(FamilyScores::by_mask(n, {scores.data(), scores.size()}))};
}

// The sets of at most `max_parents` of all variables, by size and then by mask.
BoundFamilies by_size(Rows scores, unsigned max_parents) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n < kLow || n > kMostVariables || max_parents >= n || scores.shape(1) != SetIndex(n, max_parents).size()) {
        throw nb::value_error("the scores must have a row for each variable, and a column for each set of parents");
    }
    const FamilyScores view = checked(FamilyScores::by_size(n, max_parents, {scores.data(), scores.size()}));
    check_children(view);
    return {nb::cast(scores), view};
}

// A list; the families of child i are those from first[i] up to first[i + 1].
BoundFamilies listed(Numbers first, Sets sets, Numbers scores) {
    const std::size_t n = first.size() - 1;
    bool ordered = first.size() >= 2 && n <= kMostVariables && first.data()[0] == 0 && sets.size() == scores.size() &&
                   first.data()[n] == static_cast<std::int64_t>(sets.size());
    for (std::size_t child = 0; ordered && child < n; ++child) ordered = first.data()[child] <= first.data()[child + 1];
    if (!ordered) throw nb::value_error("the arrays of the list do not match");
    for (std::size_t child = 0; child < n; ++child) {
        for (std::int64_t i = first.data()[child]; i < first.data()[child + 1]; ++i) {
            const Subset set = sets.data()[i];
            if (set >> n != 0 || contains(set, static_cast<unsigned>(child)))
                throw nb::value_error("the parents of a child must be a set of other variables");
        }
    }
    const FamilyScores view =
        FamilyScores::listed({first.data(), first.size()}, {sets.data(), sets.size()}, {scores.data(), scores.size()});
    return {nb::make_tuple(sets, scores), checked(view)};
}

}  // namespace

void bind_families(nb::module_& module) {
    module.attr("MOST_VARIABLES") = kMostVariables;
    module.attr("LARGEST_TOTAL") = kLargestTotal;
    module.attr("LEAST_TILED") = kLow;
    module.attr("SORTED_FAMILY_BYTES") = SortedFamilies::kFamilyBytes;
    module.attr("LISTED_FAMILY_BYTES") = sizeof(Subset) + sizeof(std::int64_t);
    nb::class_<BoundFamilies> families(module, "Families");
    families.def_static("by_mask", &by_mask, "scores"_a.noconvert());
    families.def_static("by_size", &by_size, "scores"_a.noconvert(), "max_parents"_a);
    families.def_static("listed", &listed, "first"_a.noconvert(), "sets"_a.noconvert(), "scores"_a.noconvert());
}

}  // namespace dagscape
