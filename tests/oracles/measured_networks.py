"""Networks with measured variables by definition: all states of the discrete ones, and matrices of 50 digits."""

from __future__ import annotations

import itertools

import mpmath as mp

mp.mp.dps = 50


def components(network):
    """Iterate over the states of all discrete variables: the codes, the probability, and means and covariances."""
    names = [name for name in network.dag.topological_order() if name in network.levels]
    for codes in itertools.product(*(range(len(network.levels[name])) for name in names)):
        state = dict(zip(names, codes, strict=True))
        probability = mp.mpf(1)
        for name in names:
            index = tuple(state[parent] for parent in network.dag.parents(name))
            probability *= mp.mpf(float(network.cpts[name][(*index, state[name])]))
        yield state, probability, *joint_normal(network, state)


def joint_normal(network, state):
    """Return the means and covariances of the measured variables in one state, as dictionaries."""
    mean, cov = {}, {}
    for name in network.dag.topological_order():
        if name in network.levels:
            continue
        found = network.regressions[name]
        parents = network.dag.parents(name)
        index = tuple(state[parent] for parent in parents if parent in network.levels)
        above = [parent for parent in parents if parent not in network.levels]
        weights = dict(zip(above, map(mp.mpf, found.coefficients[index].tolist()), strict=True))
        sd = mp.mpf(float(found.sd[index]))
        earlier = list(mean)
        mean[name] = mp.mpf(float(found.intercept[index])) + mp.fsum(w * mean[p] for p, w in weights.items())
        for other in earlier:
            cov[name, other] = cov[other, name] = mp.fsum(w * cov[p, other] for p, w in weights.items())
        cov[name, name] = sd * sd + mp.fsum(w * cov[name, p] for p, w in weights.items())
    return mean, cov


def conditional(mean, cov, target, observed):
    """Return the log-density of observed values, and mean and variance of a target, by the Schur complement."""
    names = list(observed)
    if not names:
        return mp.mpf(0), mean.get(target), cov.get((target, target))
    matrix = mp.matrix([[cov[a, b] for b in names] for a in names])
    error = mp.matrix([mp.mpf(observed[name]) - mean[name] for name in names])
    solved = mp.lu_solve(matrix, error)
    quadratic = (error.T * solved)[0]
    log_density = -(quadratic + mp.log(mp.det(matrix)) + len(names) * mp.log(2 * mp.pi)) / 2
    if target not in mean:
        return log_density, None, None
    across = mp.matrix([cov[target, name] for name in names])
    along = mp.lu_solve(matrix, across)
    own = mean[target] + (across.T * solved)[0]
    return log_density, own, cov[target, target] - (across.T * along)[0]


def answer(network, target, evidence):
    """Return what is known of a target: probabilities of levels, or mean and variance; and the log-density of evidence.

    Parameters
    ----------
    evidence : dict
        Codes of discrete variables, and numbers of measured ones.
    """
    discrete = {name: value for name, value in evidence.items() if name in network.levels}
    observed = {name: value for name, value in evidence.items() if name not in network.levels}
    weights, means, variances, levels = [], [], [], {}
    for state, probability, mean, cov in components(network):
        if any(state[name] != code for name, code in discrete.items()):
            continue
        log_density, own, variance = conditional(mean, cov, target, observed)
        weight = probability * mp.exp(log_density)
        weights.append(weight)
        means.append(own)
        variances.append(variance)
        if target in state:
            levels[state[target]] = levels.get(state[target], mp.mpf(0)) + weight
    total = mp.fsum(weights)
    if target in network.levels:
        return [levels.get(code, 0) / total for code in range(len(network.levels[target]))], mp.log(total)
    if target is None:
        return None, mp.log(total)
    mean = mp.fsum(w * m for w, m in zip(weights, means, strict=True)) / total
    second = mp.fsum(w * (v + m * m) for w, m, v in zip(weights, means, variances, strict=True)) / total
    return (mean, second - mean * mean), mp.log(total)


def posterior_regression(values, parents, child, rows, *, alpha_mu=1, freedom=2, nu=None, standardize=True):
    """Return coefficients, variance, scales and degrees of freedom under BGe's prior, from R, in the data's own units.

    Parameters
    ----------
    values : list of lists
        All rows × all measured variables.
    parents, child, rows
        The columns of the family, and the rows that count.
    nu : number, optional
        The prior mean. Default: the means of the columns.
    """
    columns = [*parents, child]
    every = mp.matrix([[mp.mpf(float(row[c])) for c in columns] for row in values])
    total, size = every.rows, len(columns)
    means = [mp.fsum(every[r, c] for r in range(total)) / total for c in range(size)]
    prior_mean = means if nu is None else [mp.mpf(nu)] * size
    t = mp.mpf(alpha_mu) * (mp.mpf(freedom) - 1) / (mp.mpf(alpha_mu) + 1)
    matrix = mp.zeros(size)
    for c in range(size):
        variance = mp.fsum((every[r, c] - means[c]) ** 2 for r in range(total)) / (total - 1)
        matrix[c, c] = t * (variance if standardize else 1)
    m = len(rows)
    own = [mp.fsum(every[r, c] for r in rows) / m if m else prior_mean[c] for c in range(size)]
    for a in range(size):
        for b in range(size):
            matrix[a, b] += mp.fsum((every[r, a] - own[a]) * (every[r, b] - own[b]) for r in rows)
            matrix[a, b] += m * mp.mpf(alpha_mu) / (m + alpha_mu) * (own[a] - prior_mean[a]) * (own[b] - prior_mean[b])
    centre = [(alpha_mu * prior_mean[c] + m * own[c]) / (alpha_mu + m) for c in range(size)]
    p, delta = size - 1, mp.mpf(freedom) + m + size
    inverse = matrix[:p, :p] ** -1 if p else mp.zeros(0)
    across = [matrix[c, p] for c in range(p)]
    coefficients = [mp.fsum(inverse[a, b] * across[b] for b in range(p)) for a in range(p)]
    left = matrix[p, p] - mp.fsum(across[a] * coefficients[a] for a in range(p))
    intercept = centre[p] - mp.fsum(coefficients[a] * centre[a] for a in range(p))
    spread = 1 / (mp.mpf(alpha_mu) + m) + mp.fsum(
        centre[a] * inverse[a, b] * centre[b] for a in range(p) for b in range(p)
    )
    scales = [mp.sqrt(left / delta * spread), *(mp.sqrt(left / delta * inverse[a, a]) for a in range(p))]
    return intercept, coefficients, left / (delta - 2), scales, delta
