// Functions of the families as vectors of four sets, for tiles of plain doubles.
//
// A list covers the sets of the first r variables, kLow ≤ r ≤ top(), with few enough members. The four sets of a vector
// differ in the first two variables, the lanes; the function is already summed over these (zeta.hpp), in the direction
// in which the walk sums it. The other low variables, the middle ones, come by size and then by mask within a block,
// and the blocks by the mask of the high variables: if a variable is left out, the rest of the list is its beginning.
//
// A list starts with a vector of its own, which stands for all sets of middle variables that are too large. It is zero
// in lists to be summed over subsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagscape/tiles.hpp"

namespace dagscape {

class LaneSets {
public:
    explicit LaneSets(const Tiles& tiles);

    // Lists of more variables would waste memory, and hardly ever be used.
    static constexpr unsigned kTop = 18;
    // The numbers in a list of the first r variables.
    static double numbers(unsigned r, unsigned max_parents) noexcept;

    unsigned top() const noexcept { return top_; }
    std::size_t size(unsigned r) const { return 4 * ends_[r - kLow]; }
    // The place in a list of each vector of sets without high variables, by the mask of the middle ones.
    const std::uint16_t* places() const noexcept { return places_.data(); }

    // Converts the numbers of the sets of the first top() variables, by size and then by mask, to a list that is summed
    // over subsets; and a list of shares, yet to be summed over supersets, back.
    void spread(const double* sets, double* list) const;
    void gather(const double* list, double* sets) const;

    // Restricts a list to sets that contain variable r - 1.
    void take(unsigned r, const double* from, double* to) const;
    // Adds up the shares of the sets that contain variable r - 1 and of those that do not (share_tree.hpp).
    void join(unsigned r, const double* taken, const double* left_out, double* to) const;
    // The same if there are no shares of sets that contain the variable.
    void join_left_out(unsigned r, const double* left_out, double* to) const;

private:
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

    // Calls visit(place, length, place with the last variable, length with it) for each set of the other high
    // variables.
    template <class Visit>
    void for_each_block(unsigned r, Visit&& visit) const;

    unsigned top_, max_parents_;
    std::vector<std::size_t> lengths_;   // of a block, by the number of high variables
    std::vector<std::size_t> blocks_;    // the place of a block, by the mask of the high variables
    std::vector<std::size_t> ends_;      // the size of a list, by r - kLow
    std::vector<std::uint16_t> places_;  // by the mask of the middle variables
    std::vector<std::uint32_t> ranks_;   // the place among all sets by size and mask, by lane, for the list of top()
};

}  // namespace dagscape
