// Runs a kernel on another thread while this one reports progress to Python and checks for Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <functional>
#include <future>
#include <new>
#include <optional>
#include <system_error>

#include "dagscape/monitor.hpp"

namespace dagscape {

// A Python callback progress(done, total), or none.
using Progress = std::optional<nanobind::typed<nanobind::callable, void(std::uint64_t, std::uint64_t)>>;

// Calls kernel(monitor) without the GIL. Ten times a second it reacquires the GIL to run Python's signal handlers and
// to call progress(done, total), if given. If either raises, it stops the kernel, waits for it and rethrows the Python
// exception.
inline void run_monitored(const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    using namespace std::chrono_literals;
    Monitor monitor;
    std::future<void> finished;
    try {
        finished = std::async(std::launch::async, [&] { kernel(monitor); });
    } catch (const std::system_error&) {
        // A thread could not be started, for want of memory for its stack.
        throw std::bad_alloc();
    }
    const auto wait = [&](auto patience) {
        nanobind::gil_scoped_release unlocked;
        return finished.wait_for(patience) == std::future_status::ready;
    };
    try {
        while (!wait(100ms)) {
            if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
            if (progress) (*progress)(monitor.done(), monitor.total());
        }
        if (progress) (*progress)(monitor.done(), monitor.total());
    } catch (...) {
        monitor.stop();
        nanobind::gil_scoped_release unlocked;
        finished.wait();
        throw;
    }
    finished.get();
}

}  // namespace dagscape
