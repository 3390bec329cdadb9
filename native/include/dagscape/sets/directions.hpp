// Which edges of DAGs point the same way in all members of their classes that satisfy given limits: required and
// forbidden edges, and experiments. For many graphs at once, as in equivalence.hpp.
//
// Limits direct edges of the CPDAG as the graph has them; Meek's four rules [meek1995] direct those that follow. The
// graph is itself a member, so that every edge that must be directed has the direction of the graph.
//
// Cost: a CPDAG for each graph, and for each edge that limits or rules direct, the rules at the edges around it.
#pragma once

#include <cstddef>

#include "dagscape/sets/equivalence.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

// What is known about members besides their class.
struct MemberLimits {
    // n × words_for(n). In the set of v: the parents whose edge into v cannot be reversed.
    const Subset* fixed;
    // words_for(n). Variables of which no row tells the parents. Edges into them are no part of the class: only the
    // fixed ones are in all members, where they matter for cycles alone. Edges from them to others must be fixed.
    const Subset* unscored;
};

// Computes the classes of the graphs within the limits, which they must satisfy: edges that hold in all members as
// parent sets, all others as neighbour sets, in arrays of the same size as the graphs. Stops at the first graph with a
// directed cycle and returns its index; otherwise returns the number of graphs.
std::size_t limited_classes(GraphArray graphs, MemberLimits limits, Subset* directed, Subset* undirected);

}  // namespace dagscape
