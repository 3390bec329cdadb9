// Progress and cancellation, shared between the threads of a kernel and the thread that waits for them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace dagscape {

// Thrown by kernels after a request to stop; their output is then meaningless.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// How often the waiting thread looks up.
constexpr std::chrono::milliseconds kLookUp{100};

class Monitor {
public:
    Monitor() = default;
    // If the kernel runs on the thread that would wait for it, check() calls this there every kLookUp.
    explicit Monitor(std::function<void()> look_up) : look_up_(std::move(look_up)) {}

    void expect(std::uint64_t units) noexcept { total_.store(units, std::memory_order_relaxed); }
    void advance(std::uint64_t units) noexcept { done_.fetch_add(units, std::memory_order_relaxed); }
    void stop() noexcept { stop_.store(true, std::memory_order_relaxed); }

    std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
    std::uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }
    bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

    // Kernels call this at least every 50 ms.
    void check() const {
        if (look_up_ && std::this_thread::get_id() == owner_ && Clock::now() >= next_) {
            look_up_();
            next_ = Clock::now() + kLookUp;
        }
        if (stopped()) throw Stopped{};
    }

private:
    using Clock = std::chrono::steady_clock;

    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> total_{0};
    std::atomic<bool> stop_{false};
    std::function<void()> look_up_;
    std::thread::id owner_ = std::this_thread::get_id();
    mutable Clock::time_point next_ = Clock::now() + kLookUp;
};

}  // namespace dagscape
