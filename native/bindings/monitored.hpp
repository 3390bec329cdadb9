// Runs kernels while progress is reported to Python, and Ctrl-C stops them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/runtime/parallel.hpp"

namespace dagscape {

// A Python callback progress(done, total), or none.
using Progress = std::optional<nanobind::typed<nanobind::callable, void(std::uint64_t, std::uint64_t)>>;

// A kernel that runs on a thread of its own.
class RunningKernel {
public:
    // Throws std::system_error if no thread can be started.
    RunningKernel(const std::function<void(Monitor&)>& kernel, Monitor& monitor)
        : thread_([this, &kernel, &monitor] {
              std::exception_ptr failure;
              // Without memory for a thread, even an exception that says so would end the process.
              const bool prepared = prepare_thread();
              try {
                  if (prepared) kernel(monitor);
              } catch (...) {
                  failure = std::current_exception();
              }
              const std::lock_guard lock(mutex_);
              failure_ = failure;
              prepared_ = prepared;
              finished_ = true;
              changed_.notify_one();
          }) {}

    ~RunningKernel() {
        if (thread_.joinable()) thread_.join();
    }

    RunningKernel(const RunningKernel&) = delete;
    RunningKernel& operator=(const RunningKernel&) = delete;

    // Whether the kernel ends within the given time.
    bool wait_for(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [this] { return finished_; });
    }

    // Waits for the end, and rethrows what the kernel has thrown.
    void get() {
        thread_.join();
        if (!prepared_) throw std::bad_alloc();
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool finished_ = false;
    bool prepared_ = false;
    std::exception_ptr failure_;
    // The last member, because the thread uses the others.
    std::thread thread_;
};

// Runs Python's signal handlers and reports progress; throws what they raise.
inline void look_up(const Progress& progress, const Monitor& monitor) {
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (progress) (*progress)(monitor.done(), monitor.total());
}

// Calls kernel(monitor) on this thread, without the GIL. When the kernel calls check(), but at most every kLookUp, it
// reacquires the GIL to run Python's signal handlers and to call progress(done, total), if given. If either raises, it
// stops the kernel and rethrows the Python exception. For kernels with one thread that are called again and again, so
// that starting a thread each time would cost too much.
inline void run_on_this_thread(const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    std::exception_ptr failure;
    Monitor monitor([&] {
        const nanobind::gil_scoped_acquire locked;
        try {
            look_up(progress, monitor);
        } catch (...) {
            failure = std::current_exception();
            monitor.stop();
        }
    });
    try {
        nanobind::gil_scoped_release unlocked;
        kernel(monitor);
    } catch (...) {
        if (failure) std::rethrow_exception(failure);
        throw;
    }
    if (progress) (*progress)(monitor.done(), monitor.total());
}

// The same for a kernel on a thread of its own, so that this one looks up in time even if the kernel seldom checks. If
// the system provides no thread, the kernel runs on this one.
inline void run_monitored(const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    Monitor monitor;
    std::optional<RunningKernel> running;
    try {
        running.emplace(kernel, monitor);
    } catch (const std::system_error&) {
        return run_on_this_thread(progress, kernel);
    }
    const auto wait = [&](auto patience) {
        nanobind::gil_scoped_release unlocked;
        return running->wait_for(patience);
    };
    try {
        while (!wait(kLookUp)) look_up(progress, monitor);
        if (progress) (*progress)(monitor.done(), monitor.total());
    } catch (...) {
        monitor.stop();
        nanobind::gil_scoped_release unlocked;
        running.reset();
        throw;
    }
    running->get();
}

// Calls a kernel that takes a few milliseconds on this thread, without the GIL. Python's signal handlers run
// afterwards.
inline void run_here(const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    Monitor monitor;
    {
        nanobind::gil_scoped_release unlocked;
        kernel(monitor);
    }
    if (progress) (*progress)(monitor.done(), monitor.total());
}

}  // namespace dagscape
