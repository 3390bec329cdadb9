// Threads: each free thread takes the next task from a fixed list.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "dagscape/runtime/monitor.hpp"

namespace dagscape {

// Runs work(task, worker) for every task in [0, tasks) on the given number of threads.
//
// The list of tasks must not depend on the number of threads. Each task must write only to memory of its own, or leave
// its part for a reduction in task order. Any number of threads then gives the same bits. The first exception thrown by
// a task stops the others and is rethrown here.
void run_tasks(std::size_t tasks, unsigned threads, Monitor& monitor,
               const std::function<void(std::size_t task, unsigned worker)>& work);

// Makes a new thread able to throw exceptions; returns false if there is not enough memory for that.
//
// The first throw on a thread allocates storage for the C++ runtime, and glibc ends the process if it cannot. Every new
// thread calls this first, and returns at once if it fails.
[[nodiscard]] bool prepare_thread() noexcept;

// One item per active worker, created on first use within a task.
template <class Item>
class PerWorker {
public:
    PerWorker(unsigned threads, std::function<std::unique_ptr<Item>()> make)
        : make_(std::move(make)), items_(threads) {}

    Item& operator()(unsigned worker) {
        if (!items_[worker]) items_[worker] = make_();
        return *items_[worker];
    }

private:
    std::function<std::unique_ptr<Item>()> make_;
    std::vector<std::unique_ptr<Item>> items_;
};

}  // namespace dagscape
