#include "dagscape/runtime/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace dagscape {

bool prepare_thread() noexcept {
    // The allocator keeps small freed blocks for the thread that freed them. One block of each size, freed now, is
    // therefore there when the runtime asks for it.
    constexpr std::size_t least = 24, step = 16;
    std::array<void*, 32> blocks{};
    bool complete = true;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i] = std::malloc(least + step * i);
        complete = complete && blocks[i] != nullptr;
    }
    for (void* block : blocks) std::free(block);
    return complete && std::uncaught_exceptions() == 0;
}

void run_tasks(std::size_t tasks, unsigned threads, Monitor& monitor,
               const std::function<void(std::size_t, unsigned)>& work) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr first_failure;
    std::mutex failure_mutex;

    const auto run = [&](unsigned worker) {
        try {
            while (!failed.load(std::memory_order_relaxed)) {
                const std::size_t task = next.fetch_add(1, std::memory_order_relaxed);
                if (task >= tasks) return;
                monitor.check();
                work(task, worker);
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            if (!first_failure) first_failure = std::current_exception();
            failed.store(true, std::memory_order_relaxed);
        }
    };

    const auto helpers = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(tasks, 1)) - 1);
    std::vector<std::thread> team;
    team.reserve(helpers);
    try {
        for (unsigned worker = 1; worker <= helpers; ++worker) {
            team.emplace_back([&run, worker] {
                if (prepare_thread()) run(worker);
            });
        }
    } catch (const std::system_error&) {
        // The system provides no more threads: the existing ones do all the work.
    } catch (const std::bad_alloc&) {
        // Nor memory for them.
    }
    run(0);
    for (std::thread& member : team) member.join();
    if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace dagscape
