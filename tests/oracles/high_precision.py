"""Sums over DAGs in 50 digits: the same recurrences as the kernels, where rounding plays no part."""

from __future__ import annotations

import mpmath

import dagscape as ds


def posterior_in_50_digits(scores: ds.LocalScores):
    """ln of the total, and the matrices of edges and ancestors, as numbers of 50 digits."""
    with mpmath.workdps(50):
        n = scores.n
        everything = (1 << n) - 1
        weight = mpmath.mpf(2) ** -scores.unit.bits
        A = []
        for v in range(n):
            row = [mpmath.mpf(0)] * (1 << n)
            for place, exact in enumerate(scores.score_row(v).tolist()):
                below = place & ((1 << v) - 1)
                row[below | (place ^ below) << 1] = mpmath.exp(exact * weight) if exact != -(2**63) else mpmath.mpf(0)
            for bit in range(n):
                for U in range(1 << n):
                    if U >> bit & 1 and bit != v and not U >> v & 1:
                        row[U] += row[U ^ 1 << bit]
            A.append(row)

        def g(U, T):
            product = mpmath.mpf(1)
            for v in range(n):
                if T >> v & 1:
                    product *= -A[v][U]
            return product

        def proper_subsets(S):
            T = (S - 1) & S
            while True:
                yield T
                if T == 0:
                    return
                T = (T - 1) & S

        H = [mpmath.mpf(0)] * (1 << n)
        R = [mpmath.mpf(0)] * (1 << n)
        H[0] = R[0] = mpmath.mpf(1)
        for S in range(1, 1 << n):
            H[S] = -sum(H[U] * g(U, S ^ U) for U in proper_subsets(S))
            R[S] = -sum(R[Y] * g(everything ^ S, S ^ Y) for Y in proper_subsets(S))
        edges = [[mpmath.mpf(0)] * n for _ in range(n)]
        ancestors = [[mpmath.mpf(0)] * n for _ in range(n)]
        for U in range(everything):
            X = everything ^ U
            terms = {Y: R[Y] * g(U, X ^ Y) for Y in [X, *proper_subsets(X)]}
            for v in range(n):
                if U >> v & 1:
                    continue
                q = -H[U] * sum(term for Y, term in terms.items() if not Y >> v & 1) / H[everything]
                for t in range(n):
                    if t != v and not U >> t & 1:
                        ancestors[v][t] += q
                    if U >> t & 1 and A[v][U]:
                        edges[t][v] += q * (1 - A[v][U ^ 1 << t] / A[v][U])
        return mpmath.log(H[everything]), edges, ancestors
