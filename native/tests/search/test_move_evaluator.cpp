#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dagscape/search/move_evaluator.hpp"

using namespace dagscape;

namespace {

using Graph = std::vector<std::vector<bool>>;  // by parent, then by child

// Scores from a small range, so that there are many ties, and some impossible families. Families without parents are
// possible, so that a search can start.
class RandomScores {
public:
    RandomScores(std::uint32_t seed, unsigned range) : random_(seed), range_(range) {}

    std::int64_t score(const Graph& graph, unsigned child) {
        std::vector<unsigned> family{child};
        for (unsigned u = 0; u < graph.size(); ++u) {
            if (graph[u][child]) family.push_back(u);
        }
        const auto [found, is_new] = known_.try_emplace(family, 0);
        if (is_new) {
            const bool impossible = family.size() > 1 && random_() % 8 == 0;
            found->second = impossible ? kImpossible : -static_cast<std::int64_t>(random_() % range_);
        }
        return found->second;
    }

private:
    std::mt19937 random_;
    unsigned range_;
    std::map<std::vector<unsigned>, std::int64_t> known_;
};

// Whether a path leads from one variable to another.
bool reaches(const Graph& graph, unsigned from, unsigned to) {
    if (from == to) return true;
    for (unsigned v = 0; v < graph.size(); ++v) {
        if (graph[from][v] && reaches(graph, v, to)) return true;
    }
    return false;
}

// The search in the obvious way: every move is tried on a copy of the graph.
struct SlowSearch {
    RandomScores& scores;
    Graph graph;
    std::size_t visited_length;
    std::deque<Graph> visited;

    bool applies(const EdgeMove& move) const {
        const auto [u, v] = move.edge;
        return u != v && graph[u][v] == (move.kind != MoveKind::kAdd);
    }

    Graph after(const EdgeMove& move) const {
        Graph changed = graph;
        const auto [u, v] = move.edge;
        changed[u][v] = move.kind == MoveKind::kAdd;
        if (move.kind == MoveKind::kReverse) changed[v][u] = true;
        return changed;
    }

    // What a move changes, or kImpossible if it is not legal.
    std::int64_t gain(const EdgeMove& move) const {
        if (!applies(move)) return kImpossible;
        const Graph changed = after(move);
        if (std::find(visited.begin(), visited.end(), changed) != visited.end()) return kImpossible;
        auto [u, v] = move.edge;
        if (move.kind == MoveKind::kReverse) std::swap(u, v);
        if (move.kind != MoveKind::kRemove && reaches(changed, v, u)) return kImpossible;
        std::int64_t sum = 0;
        for (const unsigned child : {u, v}) {
            const std::int64_t family = scores.score(changed, child);
            if (family == kImpossible) return kImpossible;
            sum += family - scores.score(graph, child);
        }
        return sum;
    }

    std::int64_t score() const {
        std::int64_t sum = 0;
        for (unsigned v = 0; v < graph.size(); ++v) sum += scores.score(graph, v);
        return sum;
    }

    void apply(const EdgeMove& move) {
        visited.push_back(graph);
        if (visited.size() > visited_length) visited.pop_front();
        graph = after(move);
    }
};

void set_scores(MoveEvaluator& evaluator, SlowSearch& slow, unsigned child) {
    const std::size_t n = slow.graph.size();
    std::vector<std::int64_t> changed(n, kImpossible);
    for (unsigned u = 0; u < n; ++u) {
        if (u == child) continue;
        Graph graph = slow.graph;
        graph[u][child] = !graph[u][child];
        changed[u] = slow.scores.score(graph, child);
    }
    evaluator.set_scores(child, slow.scores.score(slow.graph, child), changed);
}

std::vector<EdgeMove> all_moves(unsigned n) {
    std::vector<EdgeMove> moves;
    for (const MoveKind kind : {MoveKind::kAdd, MoveKind::kRemove, MoveKind::kReverse}) {
        for (unsigned u = 0; u < n; ++u) {
            for (unsigned v = 0; v < n; ++v) moves.push_back({kind, {u, v}});
        }
    }
    return moves;
}

bool same(const EdgeMove& a, const EdgeMove& b) { return a.kind == b.kind && a.edge == b.edge; }

// The moves of each kind and the best ones, each exactly once.
void check_moves(MoveEvaluator& evaluator, const SlowSearch& slow) {
    CHECK(evaluator.score() == slow.score());
    std::vector<EdgeMove> legal, best;
    std::int64_t largest = kImpossible;
    for (const EdgeMove& move : all_moves(static_cast<unsigned>(slow.graph.size()))) {
        const std::int64_t gain = slow.gain(move);
        CHECK(evaluator.is_legal(move) == (gain != kImpossible));
        if (gain == kImpossible) continue;
        legal.push_back(move);
        if (gain > largest) best.clear();
        largest = std::max(largest, gain);
        if (gain == largest) best.push_back(move);
    }
    const auto take = [](std::vector<EdgeMove>& moves, const EdgeMove& taken) {
        CHECK(std::erase_if(moves, [&](const EdgeMove& move) { return same(move, taken); }) == 1);
    };
    const MoveEvaluator::Best found = evaluator.best();
    CHECK(found.gain == largest && found.ties == best.size());
    for (std::uint64_t i = 0; i < found.ties; ++i) take(best, evaluator.best_move(i));
    const std::uint64_t stride = legal.size() / 100 + 1;
    for (const MoveKind kind : {MoveKind::kAdd, MoveKind::kRemove, MoveKind::kReverse}) {
        const auto of_kind = [&](const EdgeMove& move) { return move.kind == kind; };
        CHECK(evaluator.count(kind) == static_cast<std::uint64_t>(std::count_if(legal.begin(), legal.end(), of_kind)));
        for (std::uint64_t i = 0; i < evaluator.count(kind); i += stride) {
            const EdgeMove move = evaluator.move(kind, i);
            CHECK(move.kind == kind);
            take(legal, move);
        }
    }
}

void walk(unsigned n, unsigned steps, std::size_t visited, unsigned range, std::uint32_t seed) {
    std::mt19937 random(seed);
    RandomScores scores(seed, range);
    const Graph empty(n, std::vector<bool>(n));
    SlowSearch slow{scores, empty, visited, {}};
    MoveEvaluator evaluator(EditableDag(n), visited);
    for (unsigned v = 0; v < n; ++v) set_scores(evaluator, slow, v);
    for (unsigned step = 0; step < steps; ++step) {
        check_moves(evaluator, slow);
        if (random() % 16 == 0) {
            evaluator.forget_visited();
            slow.visited.clear();
            continue;
        }
        if (random() % 16 == 0) {
            const Graph before = std::exchange(slow.graph, empty);
            slow.visited.clear();
            evaluator.set_dag(EditableDag(n));
            for (unsigned v = 0; v < n; ++v) {
                // Without parents before and after, the scores are still there.
                const bool had_parents =
                    std::any_of(before.begin(), before.end(), [&](const auto& row) { return row[v]; });
                if (had_parents) set_scores(evaluator, slow, v);
            }
            CHECK(evaluator.has_all_scores());
            continue;
        }
        const auto kind = static_cast<MoveKind>(random() % 3);
        const MoveEvaluator::Best best = evaluator.best();
        EdgeMove move{};
        if (random() % 2 == 0 && evaluator.count(kind) > 0) {
            move = evaluator.move(kind, random() % evaluator.count(kind));
        } else if (best.ties > 0) {
            move = evaluator.best_move(random() % best.ties);
        } else {
            return;
        }
        evaluator.apply(move);
        slow.apply(move);
        CHECK(!evaluator.has_all_scores());
        set_scores(evaluator, slow, move.edge.child);
        if (move.kind == MoveKind::kReverse) set_scores(evaluator, slow, move.edge.parent);
        CHECK(evaluator.has_all_scores());
    }
}

}  // namespace

int main() {
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        walk(4, 100, 0, 5, seed);
        walk(4, 100, 10, 1000, seed);
        walk(5, 100, 100, 3, seed);
        walk(7, 60, 10, 1000000, seed);
    }
    walk(1, 3, 2, 5, 1);
    walk(2, 30, 2, 5, 2);
    walk(66, 6, 5, 4, 3);
}
