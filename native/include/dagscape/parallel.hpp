// Threads: a fixed list of tasks, taken in order by whichever thread is free.
#pragma once

#include <cstddef>
#include <functional>

#include "dagscape/monitor.hpp"

namespace dagscape {

// Runs work(task, worker) for every task in [0, tasks) on the given number of threads.
//
// The list of tasks must not depend on the number of threads, and each task must write only to places of its own (or
// leave its part for a reduction in task order): then any number of threads gives the same bits. The first exception of
// a task stops the others and is rethrown here.
void run_tasks(std::size_t tasks, unsigned threads, Monitor& monitor,
               const std::function<void(std::size_t task, unsigned worker)>& work);

}  // namespace dagscape
