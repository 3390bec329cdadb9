// The moves of a greedy search over Markov equivalence classes, and the score difference of each, kept up to date.
//
// Insert(X, Y, K) and Delete(X, Y, K) are those of class_graph.hpp. With s the local score, they are valid, and change
// the score of the class, as follows [chickering2002, theorems 15 and 17]:
//
//   Insert   if X and Y are not adjacent, K ⊆ N(Y) is a clique that contains NA, and every semi-directed path from Y to
//            X meets K:                         s(Y | Pa(Y) ∪ K ∪ {X}) − s(Y | Pa(Y) ∪ K)
//   Delete   if X → Y or X – Y, and K ⊆ NA is a clique:
//                                               s(Y | (Pa(Y) ∪ K) ∖ {X}) − s(Y | Pa(Y) ∪ K ∪ {X})
//
// EQ1 [munteanu2000] has the inserts with K = ∅ or K = {Z} where NA = ∅ (its operators 1 and 2, and 3 without common
// neighbours), and those with K = NA where X and Y have a common neighbour (operator 3).
//
// The moves into Y with one set B = Pa(Y) ∪ K form an entry. All of them compare the score of B with that of B △ {X},
// so an entry asks one question: the differences s(Y | B △ {X}) − s(Y | B) for a set of X. An answer depends on Y, B
// and X only. It stays known as long as the entry exists, and the moves that improve the score are kept, best first.
// After a step,
//
//   - the entries of Y are listed again if an edge at Y or at one of its neighbours has changed;
//   - paths are followed again for entries whose reached variables include one with a changed edge;
//   - the variables X with a valid move are found for every entry, by a few words of set operations, and those that
//     were never asked are asked.
//
// Cost: for each step a few words for each entry, and paths where they have changed. Inserts have as many entries for Y
// as N(Y) has cliques, which is exponential in the largest clique. Cliques are extended member by member, so no other
// subsets are looked at; and the memory of all entries is limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/search/class_graph.hpp"

namespace dagscape {

enum class ClassOperators { kEq1, kInsert, kDelete };

class ClassMoves {
public:
    // `dag`, `forbidden` and `required` are n rows of words: the parents of each variable in the first network, and
    // those that it must not, and must, have. The network meets these constraints and has at most `max_parents` parents
    // of a variable; so do all members of its class, and of all classes that moves lead to.
    ClassMoves(std::size_t n, const Subset* dag, const Subset* forbidden, const Subset* required,
               std::size_t max_parents, std::size_t most_bytes);

    const ClassGraph& graph() const noexcept { return graph_; }
    std::size_t bytes() const noexcept { return bytes_; }

    // Chooses the operators; none are chosen at first.
    void use(ClassOperators operators);

    // Lists the entries and their valid moves for the current class. Returns false if they would exceed the memory.
    bool refresh(Monitor& monitor);

    // One entry with moves that are not evaluated yet. Its sets are rows of words.
    struct Question {
        unsigned child;
        const Subset* family;   // B
        const Subset* toggled;  // the variables X
    };

    // Questions must be answered one after the other, until there are none (false).
    bool next(Question& question);
    // The differences s(child | B △ {X}) − s(child | B) for all X in increasing order; kImpossible if either family is.
    // Returns false if the entries exceed the memory.
    bool answer(std::span<const std::int64_t> differences);

    // A move that improves the score.
    struct Move {
        unsigned x, y;
        std::vector<Subset> clique;  // K
        std::vector<Subset> turned;  // the neighbours of Y that it directs: T of an insert, H of a delete
    };

    // Finds the moves with the largest improvement; returns their number, 0 if no move improves the score.
    std::size_t find_best(std::int64_t& improvement);
    Move best(std::size_t index) const;
    // Makes one of the best moves. If the next class has no allowed member, returns false and drops the move, so that
    // the following ones move up.
    bool apply(std::size_t index);

private:
    using Set = std::vector<Subset>;
    struct Entry {
        Set rows;  // reached, eligible, asked
        std::vector<std::pair<std::int64_t, unsigned>> improvements;
        bool stale = true;
    };
    // By B.
    using Entries = std::map<Set, Entry>;
    // An entry of a child.
    using EntryOf = std::pair<unsigned, Entries::iterator>;

    Subset* reached(Entry& entry) const noexcept { return entry.rows.data(); }
    Subset* eligible(Entry& entry) const noexcept { return entry.rows.data() + words_; }
    Subset* asked(Entry& entry) const noexcept { return entry.rows.data() + 2 * words_; }

    std::size_t entry_bytes(const Entry& entry) const noexcept;
    bool is_stale(unsigned child) const;
    bool list_entries(unsigned child, Monitor& monitor);
    bool list_cliques(unsigned child, Set& clique, const Set& candidates, std::size_t room, Monitor& monitor);
    bool list_eq1(unsigned child, std::size_t room);
    bool add_entry(unsigned child, const Set& clique);
    void find_eligible(unsigned child, const Set& family, Entry& entry);
    void find_insertable(unsigned child, const Set& clique, Entry& entry);
    void keep_insertable_by_eq1(const Set& clique, Entry& entry);
    void drop_forbidden(unsigned child, const Set& family, Entry& entry);
    void find_deletable(unsigned child, const Set& clique, Entry& entry);
    Set clique_of(unsigned child, const Set& family) const;

    ClassGraph graph_;
    std::size_t words_;
    Set required_;   // in both directions
    Set separated_;  // pairs that may not be adjacent
    std::size_t max_parents_;
    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    ClassOperators operators_ = ClassOperators::kInsert;
    bool all_stale_ = true;
    std::vector<Entries> entries_;    // by child
    Entries previous_;                // of the child whose entries are being listed
    std::vector<EntryOf> questions_;  // the last one is open
    Set open_;                        // the variables of the open question
    struct Tie {
        unsigned x;
        EntryOf entry;
    };
    std::vector<Tie> ties_;
};

}  // namespace dagscape
