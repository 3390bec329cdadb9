#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dagscape/search/class_moves.hpp"
#include "dagscape/sets/equivalence.hpp"

using namespace dagscape;

namespace {

using Dag = std::vector<Subset>;
// X, Y and K.
using Triple = std::tuple<unsigned, unsigned, Subset>;
using Cpdag = std::pair<Dag, Dag>;

constexpr std::size_t kPlenty = std::size_t{1} << 30;

bool cpdag(const Dag& dag, Cpdag& found) {
    found = {Dag(dag.size()), Dag(dag.size())};
    return cpdags({dag.data(), 1, dag.size()}, found.first.data(), found.second.data()) == 1;
}

// All DAGs, by class.
std::map<Cpdag, std::vector<Dag>> all_classes(unsigned n) {
    std::map<Cpdag, std::vector<Dag>> classes;
    std::vector<std::pair<unsigned, unsigned>> pairs;
    for (unsigned v = 0; v < n; ++v) {
        for (unsigned u = 0; u < v; ++u) pairs.emplace_back(u, v);
    }
    std::size_t count = 1;
    for (std::size_t i = 0; i < pairs.size(); ++i) count *= 3;
    for (std::size_t code = 0; code < count; ++code) {
        Dag dag(n);
        std::size_t rest = code;
        for (const auto& [u, v] : pairs) {
            if (rest % 3 == 1) dag[v] |= singleton(u);
            if (rest % 3 == 2) dag[u] |= singleton(v);
            rest /= 3;
        }
        Cpdag completed;
        if (cpdag(dag, completed)) classes[completed].push_back(dag);
    }
    return classes;
}

Subset adjacent(const Cpdag& state, unsigned v) {
    Subset near = state.first[v] | state.second[v];
    for (unsigned u = 0; u < state.first.size(); ++u) {
        if (contains(state.first[u], v)) near |= singleton(u);
    }
    return near;
}

// The moves by their definition: change one edge of a member; K are the undirected neighbours that are parents in it.
std::map<Triple, Cpdag> moves_by_definition(const Cpdag& state, const std::vector<Dag>& members, bool inserts) {
    std::map<Triple, Cpdag> found;
    for (const Dag& dag : members) {
        for (unsigned y = 0; y < dag.size(); ++y) {
            for (unsigned x = 0; x < dag.size(); ++x) {
                if (x == y || inserts == contains(adjacent(state, y), x)) continue;
                if (!inserts && !contains(dag[y], x)) continue;
                const Subset clique = dag[y] & state.second[y] & ~singleton(x);
                if (inserts && (adjacent(state, x) & state.second[y] & ~clique) != 0) continue;
                Dag changed = dag;
                changed[y] ^= singleton(x);
                Cpdag after;
                if (!cpdag(changed, after)) continue;
                const auto [known, added] = found.try_emplace({x, y, clique}, after);
                CHECK(known->second == after);
            }
        }
    }
    return found;
}

// Whether an insert is one of EQ1's three operators.
bool is_eq1(const Cpdag& state, const Triple& move) {
    const auto& [x, y, clique] = move;
    const Subset common = state.second[y] & adjacent(state, x);
    const Subset turned = clique & ~common;
    if (turned == 0 && (common == 0 || state.first[x] == state.first[y])) return true;
    return common == 0 && std::popcount(turned) == 1;
}

ClassMoves start(const Dag& dag, std::size_t max_parents, std::size_t most_bytes = kPlenty) {
    const Dag none(dag.size() * words_for(dag.size()));
    return ClassMoves(dag.size(), dag.data(), none.data(), none.data(), max_parents, most_bytes);
}

// Everything that a new search asks for, which is every valid move; the given one, if any, improves the score by 1.
std::set<Triple> offered(ClassMoves& moves, ClassOperators operators, const Triple* wanted = nullptr) {
    std::set<Triple> found;
    Monitor monitor;
    moves.use(operators);
    CHECK(moves.refresh(monitor));
    ClassMoves::Question question{};
    while (moves.next(question)) {
        const Subset clique = *question.family & *moves.graph().neighbours(question.child);
        std::vector<std::int64_t> answer;
        for_each_member(*question.toggled, [&](unsigned x) {
            const Triple triple{x, question.child, clique};
            CHECK(found.insert(triple).second);
            const bool undone = operators == ClassOperators::kDelete && !contains(*question.family, x);
            answer.push_back(wanted == nullptr || *wanted != triple ? 0 : undone ? -1 : 1);
        });
        CHECK(moves.answer(answer));
    }
    return found;
}

void check_class(const Cpdag& state, const std::vector<Dag>& members, bool apply) {
    for (const bool inserts : {true, false}) {
        const auto expected = moves_by_definition(state, members, inserts);
        const ClassOperators operators = inserts ? ClassOperators::kInsert : ClassOperators::kDelete;
        ClassMoves moves = start(members.front(), state.first.size());
        std::set<Triple> all, few;
        for (const auto& [triple, after] : expected) {
            all.insert(triple);
            if (inserts && is_eq1(state, triple)) few.insert(triple);
            if (!apply) continue;
            ClassMoves one = start(members.front(), state.first.size());
            CHECK(offered(one, operators, &triple).size() == expected.size());
            std::int64_t improvement = 0;
            CHECK(one.find_best(improvement) == 1 && improvement == 1);
            const ClassMoves::Move move = one.best(0);
            CHECK(Triple(move.x, move.y, move.clique[0]) == triple);
            CHECK(one.apply(0));
            for (unsigned v = 0; v < state.first.size(); ++v) {
                CHECK(*one.graph().parents(v) == after.first[v] && *one.graph().neighbours(v) == after.second[v]);
            }
        }
        CHECK(offered(moves, operators) == all);
        if (inserts) CHECK(offered(moves, ClassOperators::kEq1) == few);
    }
}

void all_small_classes() {
    constexpr std::array<std::size_t, 6> counts{1, 1, 2, 11, 185, 8782};
    for (unsigned n = 1; n <= 5; ++n) {
        const auto classes = all_classes(n);
        CHECK(classes.size() == counts[n]);
        std::size_t number = 0;
        // Moves lead to the right class: all classes of up to four variables, and some of five.
        for (const auto& [state, members] : classes) check_class(state, members, n <= 4 || number++ % 20 == 0);
    }
}

// A local score made of a random set function, as those of score-equivalent scores are.
std::int64_t value(Subset set, std::uint64_t seed) {
    std::mt19937_64 random(seed ^ set * 0x9E3779B97F4A7C15);
    return static_cast<std::int64_t>(random() % 1000001) - 500000;
}

std::int64_t score(unsigned child, Subset parents, std::uint64_t seed) {
    return value(parents | singleton(child), seed) - value(parents, seed);
}

std::int64_t total(const Dag& dag, std::uint64_t seed) {
    std::int64_t sum = 0;
    for (unsigned v = 0; v < dag.size(); ++v) sum += score(v, dag[v], seed);
    return sum;
}

void answer_all(ClassMoves& moves, std::uint64_t seed) {
    ClassMoves::Question question{};
    while (moves.next(question)) {
        std::vector<std::int64_t> answer;
        for_each_member(*question.toggled, [&](unsigned x) {
            answer.push_back(score(question.child, *question.family ^ singleton(x), seed) -
                             score(question.child, *question.family, seed));
        });
        CHECK(moves.answer(answer));
    }
}

// What is kept up to date during a search is what a new search finds out.
void searches_add_up(unsigned n, std::size_t max_parents, std::uint64_t seed) {
    ClassMoves moves = start(Dag(n), max_parents);
    Monitor monitor;
    std::int64_t sum = total(Dag(n), seed);
    for (const ClassOperators operators : {ClassOperators::kEq1, ClassOperators::kInsert, ClassOperators::kDelete}) {
        moves.use(operators);
        while (true) {
            CHECK(moves.refresh(monitor));
            answer_all(moves, seed);
            Dag member(n), again(n);
            moves.graph().member(member.data());
            CHECK(total(member, seed) == sum);
            for (const Subset parents : member) {
                CHECK(static_cast<std::size_t>(std::popcount(parents)) <= max_parents);
            }
            Cpdag completed;
            CHECK(cpdag(member, completed));
            for (unsigned v = 0; v < n; ++v) {
                CHECK(*moves.graph().parents(v) == completed.first[v]);
                CHECK(*moves.graph().neighbours(v) == completed.second[v]);
            }
            ClassMoves fresh = start(member, max_parents);
            fresh.use(operators);
            CHECK(fresh.refresh(monitor));
            answer_all(fresh, seed);
            std::int64_t improvement = 0, expected = 0;
            const std::size_t ties = moves.find_best(improvement);
            CHECK(fresh.find_best(expected) == ties && expected == improvement);
            if (ties == 0) break;
            CHECK(moves.apply(seed % ties));
            sum += improvement;
        }
    }
}

// Four variables spread over several words give the same moves as four adjacent ones.
void several_words() {
    constexpr std::size_t n = 200;
    constexpr std::array<unsigned, 4> numbers{3, 63, 64, 199};
    const std::size_t words = words_for(n);
    Monitor monitor;
    for (const auto& [state, members] : all_classes(4)) {
        Dag wide(n * words);
        for (unsigned v = 0; v < 4; ++v) {
            for_each_member(members[0][v], [&](unsigned u) { insert(&wide[numbers[v] * words], numbers[u], words); });
        }
        const Dag none(n * words);
        ClassMoves small = start(members[0], 3), large(n, wide.data(), none.data(), none.data(), 3, kPlenty);
        const std::set<Triple> expected = offered(small, ClassOperators::kInsert);
        large.use(ClassOperators::kInsert);
        CHECK(large.refresh(monitor));
        std::set<Triple> found;
        ClassMoves::Question question{};
        while (large.next(question)) {
            std::size_t asked = 0;
            const auto child = std::find(numbers.begin(), numbers.end(), question.child);
            for_each_member(question.toggled, words, [&](unsigned x) {
                ++asked;
                const auto its = std::find(numbers.begin(), numbers.end(), x);
                if (child == numbers.end() || its == numbers.end()) return;
                Subset clique = 0;
                for (unsigned z = 0; z < 4; ++z) {
                    if (contains(question.family, numbers[z], words) &&
                        contains(large.graph().neighbours(question.child), numbers[z], words)) {
                        clique |= singleton(z);
                    }
                }
                found.insert({static_cast<unsigned>(its - numbers.begin()),
                              static_cast<unsigned>(child - numbers.begin()), clique});
            });
            CHECK(large.answer(std::vector<std::int64_t>(asked)));
        }
        CHECK(found == expected);
    }
}

// A class is left for an allowed one only; every allowed one is reached.
void constraints_hold() {
    std::mt19937 random(7);
    const auto classes = all_classes(4);
    for (const auto& [state, members] : classes) {
        Dag forbidden(4), required(4);
        const Dag& dag = members[random() % members.size()];
        for (unsigned v = 0; v < 4; ++v) {
            forbidden[v] = random() % 16 & ~dag[v];
            required[v] = random() % 16 & dag[v];
        }
        const auto allowed = [&](const Dag& other) {
            bool fine = true;
            for (unsigned v = 0; v < 4; ++v) {
                fine = fine && (other[v] & forbidden[v]) == 0 && (required[v] & ~other[v]) == 0;
            }
            return fine;
        };
        for (const bool inserts : {true, false}) {
            for (const auto& [triple, after] : moves_by_definition(state, members, inserts)) {
                const auto& possible = classes.at(after);
                const bool expected = std::any_of(possible.begin(), possible.end(), allowed);
                ClassMoves moves(4, dag.data(), forbidden.data(), required.data(), 3, kPlenty);
                const auto asked = offered(moves, inserts ? ClassOperators::kInsert : ClassOperators::kDelete, &triple);
                std::int64_t improvement = 0;
                const bool made = moves.find_best(improvement) == 1 && moves.apply(0);
                CHECK(made == expected && (asked.contains(triple) || !expected));
                Dag member(4);
                moves.graph().member(member.data());
                CHECK(allowed(member));
                if (!made) CHECK(moves.find_best(improvement) == 0);
            }
        }
    }
}

// In a clique of undirected edges, the neighbours of a variable have 2^19 cliques.
void memory_is_limited() {
    constexpr unsigned n = 21;
    Dag dag(n);
    for (unsigned v = 0; v + 1 < n; ++v) dag[v] = singleton(v) - 1;
    Monitor monitor;
    ClassMoves moves = start(dag, n, std::size_t{1} << 20);
    moves.use(ClassOperators::kInsert);
    CHECK(!moves.refresh(monitor));
    CHECK(moves.bytes() < std::size_t{1} << 21);
    moves.use(ClassOperators::kEq1);
    CHECK(moves.refresh(monitor));
    ClassMoves bounded = start(dag, n, std::size_t{1} << 24);
    bounded.use(ClassOperators::kInsert);
    monitor.stop();
    bool stopped = false;
    try {
        bounded.refresh(monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    all_small_classes();
    several_words();
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto n = static_cast<unsigned>(2 + seed % 7);
        searches_add_up(n, seed % 3 == 0 ? n : 1 + seed % 4, seed);
    }
    constraints_hold();
    memory_is_limited();
}
