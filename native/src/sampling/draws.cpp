#include "dagscape/sampling/draws.hpp"

#include <algorithm>

#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// The samples of a task, which are drawn between two checks.
constexpr std::size_t kTogether = 16;

}  // namespace

Loss draw_rows(unsigned n, const SampledRows& rows, unsigned threads, Monitor& monitor,
               const std::function<Drawn(RandomBits&, std::span<Subset>, unsigned worker)>& draw) {
    const std::size_t samples = rows.seeds.size();
    monitor.expect(samples);
    std::vector<Loss> losses(samples);
    run_tasks((samples + kTogether - 1) / kTogether, threads, monitor, [&](std::size_t task, unsigned worker) {
        const std::size_t end = std::min(samples, (task + 1) * kTogether);
        for (std::size_t i = task * kTogether; i < end; ++i) {
            monitor.check();
            RandomBits random(rows.seeds[i]);
            const Drawn drawn = draw(random, rows.parents.subspan(i * n, n), worker);
            rows.scores[i] = drawn.score;
            losses[i] = drawn.loss;
            monitor.advance(1);
        }
    });
    Loss sum;
    for (const Loss& loss : losses) sum += loss;
    return sum;
}

}  // namespace dagscape
