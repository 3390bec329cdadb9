#include "dagscape/sets/lattice_tasks.hpp"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// Hands out the tasks by number, each after those whose numbers have one bit fewer.
class Schedule {
public:
    Schedule(unsigned bits, std::size_t window) : window_(window), state_(std::size_t{1} << bits, State::waiting) {
        for (std::size_t task = 0; task < state_.size(); ++task) missing_.push_back(std::popcount(task));
    }

    // The first task that is ready; waits for one. Nothing if another task has failed.
    std::optional<Subset> take() {
        std::unique_lock lock(mutex_);
        std::optional<Subset> task;
        changed_.wait(lock, [&] { return failed_ || (task = first_ready()).has_value(); });
        if (failed_) return std::nullopt;
        state_[*task] = State::running;
        return task;
    }

    void finish(Subset task) {
        const std::lock_guard lock(mutex_);
        state_[task] = State::done;
        while (first_ < state_.size() && state_[first_] == State::done) ++first_;
        for_each_member(~task & (state_.size() - 1), [&](unsigned bit) { --missing_[task | singleton(bit)]; });
        changed_.notify_all();
    }

    void fail() {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        changed_.notify_all();
    }

private:
    enum class State : unsigned char { waiting, running, done };

    std::optional<Subset> first_ready() const {
        const std::size_t end = std::min(first_ + window_, state_.size());
        for (std::size_t task = first_; task < end; ++task) {
            if (state_[task] == State::waiting && missing_[task] == 0) return task;
        }
        return std::nullopt;
    }

    const std::size_t window_;
    std::vector<State> state_;
    std::vector<int> missing_;  // how many of the tasks before it are not done
    std::size_t first_ = 0;     // the first task that is not done: it is running, or ready
    bool failed_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace

unsigned lattice_bits(unsigned threads) noexcept {
    return threads == 1 ? 0 : std::min(static_cast<unsigned>(std::bit_width(threads - 1)) + 5, 12U);
}

std::size_t lattice_window(unsigned threads) noexcept { return threads == 1 ? 1 : std::size_t{4} * threads; }

void run_lattice(unsigned bits, Direction direction, unsigned threads, Monitor& monitor,
                 const std::function<void(Subset, unsigned)>& work) {
    Schedule schedule(bits, lattice_window(threads));
    const Subset flipped = direction == Direction::forwards ? 0 : (Subset{1} << bits) - 1;
    run_tasks(std::size_t{1} << bits, threads, monitor, [&](std::size_t, unsigned worker) {
        const std::optional<Subset> task = schedule.take();
        if (!task) return;
        try {
            work(*task ^ flipped, worker);
        } catch (...) {
            schedule.fail();
            throw;
        }
        schedule.finish(*task);
    });
}

}  // namespace dagscape
