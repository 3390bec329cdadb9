#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "dagscape/runtime/parallel.hpp"

using namespace dagscape;

namespace {

void every_task_runs_once() {
    for (const unsigned threads : {1U, 2U, 7U}) {
        std::vector<std::atomic<int>> runs(1000);
        Monitor monitor;
        run_tasks(runs.size(), threads, monitor, [&](std::size_t task, unsigned worker) {
            CHECK(worker < threads);
            ++runs[task];
        });
        for (const auto& count : runs) CHECK(count == 1);
    }
}

void no_tasks_is_fine() {
    Monitor monitor;
    run_tasks(0, 4, monitor, [](std::size_t, unsigned) { CHECK(false); });
}

void an_exception_ends_the_work_and_arrives() {
    Monitor monitor;
    bool arrived = false;
    try {
        run_tasks(100, 3, monitor, [](std::size_t task, unsigned) {
            if (task == 5) throw std::runtime_error("five");
        });
    } catch (const std::runtime_error& error) {
        arrived = error.what()[0] == 'f';
    }
    CHECK(arrived);
}

void a_stopped_monitor_ends_the_work() {
    Monitor monitor;
    std::atomic<int> runs = 0;
    bool stopped = false;
    try {
        run_tasks(1000, 2, monitor, [&](std::size_t, unsigned) {
            if (++runs == 10) monitor.stop();
        });
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
    CHECK(runs < 1000);
}

void a_kernel_looks_up_on_its_own_thread_only() {
    int looks = 0;
    Monitor monitor([&] {
        ++looks;
        monitor.stop();
    });
    std::this_thread::sleep_for(kLookUp);
    std::thread([&] { monitor.check(); }).join();
    CHECK(looks == 0);
    bool stopped = false;
    try {
        monitor.check();
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped && looks == 1);
}

void check_looks_up_no_more_often_than_it_should() {
    const auto start = std::chrono::steady_clock::now();
    int looks = 0;
    const Monitor monitor([&] { ++looks; });
    while (looks < 2) monitor.check();
    CHECK(std::chrono::steady_clock::now() - start >= 2 * kLookUp);
}

}  // namespace

int main() {
    every_task_runs_once();
    no_tasks_is_fine();
    an_exception_ends_the_work_and_arrives();
    a_stopped_monitor_ends_the_work();
    a_kernel_looks_up_on_its_own_thread_only();
    check_looks_up_no_more_often_than_it_should();
}
