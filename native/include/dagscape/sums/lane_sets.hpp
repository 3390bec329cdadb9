// Functions of the families as vectors of four sets, for tiles of plain doubles.
//
// A list covers the sets of the first r variables, kLow ≤ r ≤ top(), with few enough members. The four sets of a vector
// differ in the first two variables, the lanes; the function is already summed over these (zeta.hpp), in the direction
// in which the walk sums it. The other low variables, the middle ones, come by size and then by mask within a block,
// and the blocks by the mask of the high variables: if a variable is left out, the rest of the list is its beginning.
//
// No family of a variable contains it: its lists leave out sets of middle variables that contain it, and functions that
// add up lists skip its blocks, which are zero.
//
// A list starts with a vector of its own, which stands for all other sets of middle variables. It is zero in lists to
// be summed over subsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/tiles.hpp"

namespace dagscape {

class LaneSets {
public:
    // For the families of each variable.
    static std::vector<LaneSets> of_all(const Tiles& tiles);

    // Lists of more variables would waste memory, and hardly ever be used.
    static constexpr unsigned kTop = 18;
    // The most numbers in a list of the first r variables.
    static double numbers(unsigned r, unsigned max_parents) noexcept;

    unsigned top() const noexcept { return layout_->top; }
    std::size_t size(unsigned r) const { return 4 * layout_->ends[r - kLow]; }
    // Where each vector of a list begins, for those of sets without high variables, by the mask of the middle ones.
    const std::uint16_t* offsets() const noexcept { return layout_->offsets.data(); }

    // Converts the numbers of the sets of the first top() variables, by size and then by mask, to a list that is summed
    // over subsets; and a list of shares, yet to be summed over supersets, back.
    void spread(const double* sets, double* list) const;
    void gather(const double* list, double* sets) const;

    // Restricts a list to sets that contain variable r - 1. The largest families that a list holds have no larger one
    // to be merged with, so they stay as they are: copy_largest() copies them to a list of the first r variables.
    void take(unsigned r, const double* from, double* to) const;
    void copy_largest(unsigned r, const double* from, double* to) const;
    // Adds up the shares of the sets that contain variable r - 1 and of those that do not (share_tree.hpp). No set with
    // v itself has a share. The list of those that do not may be the beginning of the result.
    void join(unsigned r, const double* taken, const double* left_out, double* to) const;

private:
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

    // The same for all variables that are not middle ones.
    struct Layout {
        Layout(const Tiles& tiles, unsigned v);
        void add_middle(unsigned v);
        void add_block(const Tiles& tiles, Subset high);

        unsigned top, max_parents;
        std::vector<Subset> middle;          // the sets of middle variables, by size and then by mask
        std::vector<std::size_t> lengths;    // of a block, by the number of high variables
        std::vector<std::size_t> blocks;     // where a block begins, by the mask of the high variables
        std::vector<std::size_t> ends;       // the size of a list, by r - kLow
        std::vector<std::uint16_t> offsets;  // by the mask of the middle variables
        std::vector<std::uint32_t> ranks;    // among all sets by size and mask, by lane, for the list of `top`
    };

    LaneSets(unsigned v, std::shared_ptr<const Layout> layout) : v_(v), layout_(std::move(layout)) {}

    // Calls visit(offset, length, offset with the last variable, length with it), in numbers, for each set of the other
    // high variables.
    template <class Visit>
    void for_each_block(unsigned r, Visit&& visit) const;

    unsigned v_;
    std::shared_ptr<const Layout> layout_;
};

}  // namespace dagscape
