// Tasks that form a lattice: each is a set of bits, and runs after all its subsets, or after all its supersets.
#pragma once

#include <cstddef>
#include <functional>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

// Whether sets come after their subsets, or before them.
enum class Direction { forwards, backwards };

// How many bits keep the given number of threads busy: 32 or more tasks for each of them, because few tasks are ready
// at the beginning and at the end.
unsigned lattice_bits(unsigned threads) noexcept;

// At any time, the tasks done are the first ones in the order of the walk, and some of the next ones, of which there
// are this many. The partial results of a walk are therefore few.
std::size_t lattice_window(unsigned threads) noexcept;

// Runs work(set, worker) for every set of `bits` bits, on the given number of threads. Results that do not depend on
// the order of independent tasks have the same bits for any number of threads and of bits.
void run_lattice(unsigned bits, Direction direction, unsigned threads, Monitor& monitor,
                 const std::function<void(Subset set, unsigned worker)>& work);

}  // namespace dagscape
