// Progress and cancellation, shared between the threads of a kernel and the thread that waits for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace dagscape {

// Thrown by kernels after a request to stop; their output is then meaningless.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

class Monitor {
public:
    void expect(std::uint64_t units) noexcept { total_.store(units, std::memory_order_relaxed); }
    void advance(std::uint64_t units) noexcept { done_.fetch_add(units, std::memory_order_relaxed); }
    void stop() noexcept { stop_.store(true, std::memory_order_relaxed); }

    std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
    std::uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }
    bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

    // Kernels call this at least every 50 ms.
    void check() const {
        if (stopped()) throw Stopped{};
    }

private:
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> total_{0};
    std::atomic<bool> stop_{false};
};

}  // namespace dagscape
