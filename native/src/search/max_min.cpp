#include "dagscape/search/max_min.hpp"

#include <memory>

#include "dagscape/numbers/chi_square.hpp"
#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// Tests of one thread, as associations.
class Associations {
public:
    Associations(const TestTable& table, const MaxMinOptions& options)
        : tester_(table, options.rows_per_cell), critical_(options.alpha, table.unit_bits()) {}

    void set_target(std::uint16_t target) {
        tester_.set_target(target);
        tests_ = 0;
    }

    double operator()(std::uint16_t candidate, std::span<const std::uint16_t> given, const Monitor& monitor) {
        monitor.check();
        if (!tester_.is_possible(candidate, given)) return kNotTested;
        ++tests_;
        const IndependenceTest test = tester_.test(candidate, given);
        if (test.freedom == 0 || test.statistic < critical_.at(test.freedom)) return kIndependent;
        // With alpha = 1 even a p-value of 1 shows dependence.
        return std::max(-critical_.log_tail(test.statistic, test.freedom), std::numeric_limits<double>::min());
    }

    std::uint64_t tests() const noexcept { return tests_; }

private:
    IndependenceTester tester_;
    CriticalValues critical_;
    std::uint64_t tests_ = 0;
};

}  // namespace

void max_min_parents_and_children(const TestTable& table, const MaxMinOptions& options, std::span<double> least,
                                  std::span<std::uint64_t> tests, Monitor& monitor) {
    const std::size_t n = table.variables();
    monitor.expect(n);
    PerWorker<Associations> workers(options.threads, [&] { return std::make_unique<Associations>(table, options); });
    run_tasks(n, options.threads, monitor, [&](std::size_t task, unsigned worker) {
        const auto target = static_cast<std::uint16_t>(task);
        Associations& associations = workers(worker);
        associations.set_target(target);
        const auto associate = [&](std::uint16_t candidate, std::span<const std::uint16_t> given) {
            return associations(candidate, given, monitor);
        };
        std::fill_n(least.data() + task * n, n, kIndependent);
        for (const Neighbour& found : MaxMinSearch(options.rank, options.most_given, associate).run(target)) {
            least[task * n + found.variable] = found.least;
        }
        tests[task] = associations.tests();
        monitor.advance(1);
    });
}

void pairwise_statistics(const TestTable& table, unsigned threads, std::span<std::int64_t> statistics,
                         Monitor& monitor) {
    const std::size_t n = table.variables();
    monitor.expect(n);
    PerWorker<IndependenceTester> workers(threads, [&] { return std::make_unique<IndependenceTester>(table, 1); });
    run_tasks(n, threads, monitor, [&](std::size_t task, unsigned worker) {
        IndependenceTester& tester = workers(worker);
        tester.set_target(static_cast<std::uint16_t>(task));
        for (std::size_t other = 0; other < n; ++other) {
            monitor.check();
            statistics[task * n + other] = other == task ? 0 : tester.statistic(static_cast<std::uint16_t>(other));
        }
        monitor.advance(1);
    });
}

}  // namespace dagscape
