// Sums over all DAGs on a GPU: the recurrences of native/include/dagscape/sums/dag_sum.hpp, in O(3^n).
//
//   H(S)  = -Σ_{U ⊊ S} H(U) g_U(S∖U)                    g_U(T) = Π_{v∈T} -A_v(U)
//   RR(X) = -Σ_{Y ⊊ X} RR(Y) g_U(X∖Y),  U = V∖X         q_v(U) = -H(U) Σ_{Y ⊆ X, v ∉ Y} RR(Y) g_U(X∖Y)
//
// Both are sums over the pairs of a target, S or X, and a subset of it, the source. A pair has three states for each
// variable: outside the target, in the source, or between them. The variables are split into three groups:
//
//   the first 3     every thread handles all 27 states, with one sum for each of the 8 sets
//   the next 5      243 threads of a block handle one state each
//   all others      a block handles one target, and walks through the sources
//
// Targets with equally many of the other variables are independent of each other. The walk of a block is cut into parts
// of up to 2^7 sources. A second kernel adds the parts, in order, and the sources that agree with the target on all
// other variables. Every number has one writer and every sum a fixed order: results do not depend on how blocks are
// scheduled.
//
// Sums over all sources without v come from the same terms: for the first variables, each thread keeps one for each;
// for the next, they are sums over threads; and the sums of the steps of a walk are folded like a binary counter.
//
// Numbers are doubles with separate exponents. H(S) is stored relative to the best sum of exponents of A along an order
// of S, and RR likewise, so that the stored number is between 2^-n and n!.

namespace {

constexpr int kFirst = 3, kNext = 5, kLow = kFirst + kNext;
constexpr int kFirstSets = 1 << kFirst, kNextSets = 1 << kNext, kTile = 1 << kLow;
constexpr int kPatterns = 243;  // 3^kNext
constexpr int kLoop = 7;        // a part of a walk has up to 2^kLoop steps
constexpr int kPlanes = 1 + kLoop + kLow;

// The reference of a set without any DAG: every number aligned to it vanishes.
constexpr int kNoReference = 1 << 29;

// Functions of the low variables in shared memory, by the first variables and then by the next. Rows are this long
// against bank conflicts.
constexpr int kStride = 36;
constexpr int kCells = kFirstSets * kStride;
__device__ inline int cell(int low) { return (low & (kFirstSets - 1)) * kStride + (low >> kFirst); }

struct Cells {
    double mantissa[kCells];
    int exponent[kCells];
    __device__ Scaled get(int at) const { return {mantissa[at], exponent[at]}; }
    __device__ void set(int at, Scaled value) {
        mantissa[at] = value.mantissa;
        exponent[at] = value.exponent;
    }
};

// A_v(U), by variable and then by U without the bit of v.
struct ParentSums {
    const double* mantissa;
    const int* exponent;
    int n;

    __device__ size_t place(int v, unsigned set) const {
        const unsigned below = set & ((1u << v) - 1);
        return (size_t(v) << (n - 1)) + (below | (set >> (v + 1) << v));
    }
    __device__ Scaled get(int v, unsigned set) const {
        const size_t at = place(v, set);
        return {mantissa[at], exponent[at]};
    }
    // -A_v(U)
    __device__ Scaled negative(int v, unsigned set) const {
        const Scaled value = get(v, set);
        return {-value.mantissa, value.exponent};
    }
    __device__ Scaled product(unsigned members, unsigned set) const {
        Scaled result{1, 0};
        for (unsigned rest = members; rest != 0;) {
            // Several at a time, so that they are loaded together.
            Scaled factors[4];
#pragma unroll
            for (int k = 0; k < 4; ++k, rest &= rest - 1) {
                factors[k] = rest == 0 ? Scaled{1, 0} : negative(__ffs(rest) - 1, set);
            }
            result = times(result, times(times(factors[0], factors[1]), times(factors[2], factors[3])));
        }
        return result;
    }
};

// The bits of a counter, put at the members of a set.
__device__ inline unsigned deposited(unsigned counter, unsigned set) {
    unsigned result = 0;
    for (unsigned rest = set; rest != 0; rest &= rest - 1, counter >>= 1) {
        if (counter & 1) result |= rest & -rest;
    }
    return result;
}

// The state of the next variables that a thread handles: in the source, or between source and target.
struct Pattern {
    int source = 0, between = 0;
    __device__ explicit Pattern(int number) {
        for (int v = 0; v < kNext; ++v, number /= 3) {
            if (number % 3 == 1) between |= 1 << v;
            if (number % 3 == 2) source |= 1 << v;
        }
    }
};

__device__ inline int in_base_three(int set) {
    int result = 0;
    for (int v = 0, power = 1; v < kNext; ++v, power *= 3) result += (set >> v & 1) * power;
    return result;
}

// Sums over the threads with a given target and a source without v (v < 0: any source).
__device__ inline double sum_patterns(const double* of_patterns, const int* base_three, int target, int v) {
    double sum = 0;
    const int free = v < 0 ? target : target & ~(1 << v);
    for (int source = free;; source = (source - 1) & free) {
        sum += of_patterns[base_three[target ^ source] + 2 * base_three[source]];
        if (source == 0) return sum;
    }
}

// Adds the parts of a target for one set, in order.
__device__ inline double sum_parts(const double* parts, int count, int stride) {
    double sum = 0;
#pragma unroll 4
    for (int part = 0; part < count; ++part) sum += parts[size_t(part) * stride];
    return sum;
}

}  // namespace

// Copies the scores of listed families, which may contain their own child, to their places among all sets.
extern "C" __global__ void spread_families(const long long* scores, const unsigned* masks, int families, int n,
                                           long long* spread) {
    const int family = blockIdx.x * blockDim.x + threadIdx.x, child = blockIdx.y;
    if (family >= families || masks[family] >> child & 1) return;
    spread[ParentSums{nullptr, nullptr, n}.place(child, masks[family])] = scores[size_t(child) * families + family];
}

// Converts scores, by variable and by mask without its bit, to scaled numbers in place.
extern "C" __global__ void weigh_families(long long* scores, int* exponents, int unit_bits, long long count) {
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= count) return;
    const Scaled weight = weight_of_score(scores[at], unit_bits);
    scores[at] = __double_as_longlong(weight.mantissa);
    exponents[at] = weight.exponent;
}

// One step of the sums over subsets: adds the numbers of the sets without a variable to those with it.
extern "C" __global__ void add_subsets(double* mantissas, int* exponents, int bit, long long pairs) {
    const long long pair = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (pair >= pairs) return;
    const long long below = pair & ((1LL << bit) - 1), lower = below | (pair ^ below) << 1, upper = lower | 1LL << bit;
    const Scaled sum = normalised(plus({mantissas[upper], exponents[upper]}, {mantissas[lower], exponents[lower]}));
    mantissas[upper] = sum.mantissa;
    exponents[upper] = sum.exponent;
}

// The references of H and RR of the sets of one size.
extern "C" __global__ void find_references(const double* mantissas, const int* exponents, int n, int size, int* forward,
                                           int* backward) {
    const unsigned set = blockIdx.x * blockDim.x + threadIdx.x, all = (1u << n) - 1;
    if (set > all || __popc(set) != size) return;
    const ParentSums sums{mantissas, exponents, n};
    const auto best = [&](const int* reference, bool forwards) {
        int highest = kNothing;
        for (unsigned rest = set; rest != 0; rest &= rest - 1) {
            const unsigned less = set & ~(rest & -rest);
            // The first variable of X in an order comes after all variables outside X.
            const int weight = sums.get(__ffs(rest) - 1, forwards ? less : all & ~set).exponent;
            if (reference[less] != kNoReference && weight != kNothing) highest = max(highest, reference[less] + weight);
        }
        return set == 0 ? 0 : highest == kNothing ? kNoReference : highest;
    };
    forward[set] = best(forward, true);
    backward[set] = best(backward, false);
}

namespace {

// The terms of one thread for one source of a block: all states of the first variables.
__device__ inline void add_forward_terms(const Cells& source, const Cells (&factors)[kLow], const Pattern& pattern,
                                         const int (&reference)[kFirstSets], double (&result)[kFirstSets]) {
#pragma unroll
    for (int first = 0; first < kFirstSets; ++first) {
        const int at = first * kStride + pattern.source;
        Scaled products[kFirstSets];
        products[0] = source.get(at);
#pragma unroll
        for (int v = 0; v < kNext; ++v) {
            if (pattern.between >> v & 1) products[0] = times(products[0], factors[kFirst + v].get(at));
        }
#pragma unroll
        for (int more = 0; more < kFirstSets; ++more) {
            if ((more & first) != 0) continue;
            if (more != 0) {
                const int v = more & 1 ? 0 : more & 2 ? 1 : 2;
                products[more] = times(products[more & (more - 1)], factors[v].get(at));
            }
            result[first | more] +=
                products[more].mantissa * power_of_two(products[more].exponent - reference[first | more]);
        }
    }
}

}  // namespace

// One part of the walk through the sources of a target, for H. A block's targets agree on all but the low variables.
extern "C" __global__ __launch_bounds__(kTile, 3) void walk_forward(const double* mantissas, const int* exponents,
                                                                    int n, const double* forward, const int* reference,
                                                                    const unsigned* targets, int loop_bits,
                                                                    double* parts) {
    __shared__ Cells source;         // -H(U) times g over the other variables
    __shared__ Cells factors[kLow];  // -A_v(U)
    __shared__ double sums_of_patterns[kPatterns];
    __shared__ int base_three[kNextSets];
    const ParentSums sums{mantissas, exponents, n};
    const unsigned target = targets[blockIdx.x];
    const Pattern pattern(threadIdx.x);
    const int next = pattern.source | pattern.between, low = threadIdx.x;
    const bool works = threadIdx.x < kPatterns;
    if (threadIdx.x < kNextSets) base_three[threadIdx.x] = in_base_three(threadIdx.x);
    double result[kFirstSets] = {};
    int own_reference[kFirstSets];
#pragma unroll
    for (int first = 0; first < kFirstSets; ++first) {
        own_reference[first] = works ? reference[target << kLow | next << kFirst | first] : 0;
    }
    unsigned chosen = deposited(blockIdx.y << loop_bits, target);
    for (int step = 0; step < 1 << loop_bits && chosen != target; ++step, chosen = (chosen - target) & target) {
        const unsigned set = chosen << kLow | low;
        const Scaled own{-forward[set], reference[set]};
        source.set(cell(low), times(own, sums.product((target & ~chosen) << kLow, set)));
#pragma unroll
        for (int v = 0; v < kLow; ++v) {
            if ((low >> v & 1) == 0) factors[v].set(cell(low), sums.negative(v, set));
        }
        __syncthreads();
        if (works) add_forward_terms(source, factors, pattern, own_reference, result);
        __syncthreads();
    }
    double* part = parts + (size_t(blockIdx.x) * gridDim.y + blockIdx.y) * kTile;
#pragma unroll
    for (int first = 0; first < kFirstSets; ++first) {
        if (works) sums_of_patterns[threadIdx.x] = result[first];
        __syncthreads();
        if (threadIdx.x < kNextSets) {
            part[threadIdx.x << kFirst | first] = sum_patterns(sums_of_patterns, base_three, threadIdx.x, -1);
        }
        __syncthreads();
    }
}

// Adds the parts of each target, and the sources that differ from it in low variables only: the smallest sets first.
extern "C" __global__ void finish_forward(const double* mantissas, const int* exponents, int n, double* forward,
                                          const int* reference, const unsigned* targets, int part_count,
                                          const double* parts) {
    __shared__ double values[kTile];
    __shared__ int references[kTile];
    const ParentSums sums{mantissas, exponents, n};
    const unsigned target = targets[blockIdx.x] << kLow;
    const int own = threadIdx.x;
    double sum = sum_parts(parts + size_t(blockIdx.x) * part_count * kTile + own, part_count, kTile);
    if ((target | own) == 0) sum = 1;
    references[own] = reference[target | own];
    for (int size = 0; size <= kLow; ++size) {
        __syncthreads();
        if (__popc(own) != size) continue;
        for (int less = own; less != 0;) {
            less = (less - 1) & own;
            const Scaled product = sums.product(own ^ less, target | less);
            sum -=
                values[less] * product.mantissa * power_of_two(product.exponent + references[less] - references[own]);
        }
        values[own] = sum;
    }
    forward[target | own] = sum;
}

namespace {

// What changes slowly in a part of a walk, for each set: a step changes the lowest bits of a counter only, so that two
// levels change in a step on average. Each thread reads and writes its own column.
struct WalkMemory {
    double mantissa[2][kLoop + 1][kTile];  // -A of the variable of each level, and products over the levels from it on
    int exponent[2][kLoop + 1][kTile];
    double lower[kLoop][kTile], upper[kLoop][kTile];  // sums of the latest lower halves, and of all upper halves

    __device__ Scaled get(int kind, int level) const {
        return {mantissa[kind][level][threadIdx.x], exponent[kind][level][threadIdx.x]};
    }
    __device__ void set(int kind, int level, Scaled value) {
        mantissa[kind][level][threadIdx.x] = value.mantissa;
        exponent[kind][level][threadIdx.x] = value.exponent;
    }

    __device__ void start(const ParentSums& sums, unsigned target, unsigned outside, unsigned part, int loop_bits) {
        unsigned rest = target;
        for (int level = 0; level < loop_bits; ++level, rest &= rest - 1) {
            set(0, level, sums.negative(kLow + __ffs(rest) - 1, outside));
            upper[level][threadIdx.x] = 0;
        }
        const Scaled fixed = sums.product(deposited(part << loop_bits, target) << kLow, outside);
        for (int level = 0; level <= loop_bits; ++level) set(1, level, fixed);
    }

    // g over the other variables that are between source and target in a step.
    __device__ Scaled product(int step, int loop_bits) {
        if (step == 0) return get(1, loop_bits);
        const int changed = __ffs(step) - 1;
        const Scaled result = times(get(1, changed + 1), get(0, changed));
        for (int level = 0; level <= changed; ++level) set(1, level, result);
        return result;
    }

    // Adds the sum of a step; returns the sum of all steps since the latest change of the first bit that is zero.
    __device__ double fold(int step, int loop_bits, double sum) {
        int level = 0;
        for (; step >> level & 1; ++level) {
            upper[level][threadIdx.x] += sum;
            sum += lower[level][threadIdx.x];
        }
        if (level < loop_bits) lower[level][threadIdx.x] = sum;
        return sum;
    }
};

// The sums of one thread for all sources of a part: in all, and over the sources without each of the first variables.
struct BackwardTerms {
    Scaled inner[kFirstSets];  // g over the next variables, relative to RR(X)
    double everything[kFirstSets] = {}, without[kFirst][kFirstSets] = {};

    __device__ void start(const ParentSums& sums, unsigned target, const Pattern& pattern, const int* reference) {
        const unsigned all = (1u << sums.n) - 1;
#pragma unroll
        for (int first = 0; first < kFirstSets; ++first) {
            const unsigned set = target << kLow | (pattern.source | pattern.between) << kFirst | first;
            inner[first] = sums.product(pattern.between << kFirst, all & ~set);
            inner[first].exponent -= reference[set];
        }
    }

    // All states of the first variables for one source; `terms` gets their sums, by set.
    __device__ void add_terms(const Cells& source, const Cells& product, const Cells (&factors)[kFirst],
                              const Pattern& pattern, bool is_source, double (&terms)[kFirstSets][kPatterns]) {
        Scaled sources[kFirstSets];
#pragma unroll
        for (int first = 0; first < kFirstSets; ++first) sources[first] = source.get(first * kStride + pattern.source);
#pragma unroll
        for (int first = 0; first < kFirstSets; ++first) {
            const int at = first * kStride + (pattern.source | pattern.between);
            Scaled products[kFirstSets];
            products[0] = times(product.get(at), inner[first]);
            double sum = 0;
#pragma unroll
            for (int less = 0; less < kFirstSets; ++less) {
                if ((less & ~first) != 0) continue;
                if (less != 0) {
                    const int v = less & 1 ? 0 : less & 2 ? 1 : 2;
                    products[less] = times(products[less & (less - 1)], factors[v].get(at));
                }
                const Scaled term = times(products[less], sources[first ^ less]);
                const double value = is_source ? term.mantissa * power_of_two(term.exponent) : 0;
                sum += value;
#pragma unroll
                for (int v = 0; v < kFirst; ++v) {
                    if (less >> v & 1) without[v][first] += value;
                }
            }
            everything[first] += sum;
            terms[first][threadIdx.x] = sum;
        }
    }

    // Copies the sums without one of the first variables, or all sums (plane < 0).
    __device__ void show(int plane, double (&terms)[kFirstSets][kPatterns]) const {
#pragma unroll
        for (int first = 0; first < kFirstSets; ++first) {
            double value = everything[first];
#pragma unroll
            for (int v = 0; v < kFirst; ++v) {
                if (plane == v) value = without[v][first];
            }
            terms[first][threadIdx.x] = value;
        }
    }
};

static_assert(sizeof(WalkMemory) == kTile * (2 * (kLoop + 1) * 12 + 2 * kLoop * 8), "as in cuda/dag_sum.py");

}  // namespace

// One part of the walk through the sources of a target, for RR and q. The planes of a part have, for each set: the sum
// of all terms; the sums without each of the variables that change within the part; and those without each low
// variable.
extern "C" __global__ __launch_bounds__(kTile, 2) void walk_backward(const double* mantissas, const int* exponents,
                                                                     int n, const double* backward,
                                                                     const int* reference, const unsigned* targets,
                                                                     int loop_bits, double* parts) {
    extern __shared__ char memory[];
    WalkMemory& walk = *reinterpret_cast<WalkMemory*>(memory);
    __shared__ Cells source;           // RR(Y)
    __shared__ Cells product;          // g over the other variables
    __shared__ Cells factors[kFirst];  // -A_v(U)
    __shared__ double terms[kFirstSets][kPatterns];
    __shared__ int base_three[kNextSets];
    const ParentSums sums{mantissas, exponents, n};
    const unsigned target = targets[blockIdx.x], all = (1u << n) - 1;
    const Pattern pattern(threadIdx.x);
    const int low = threadIdx.x;
    const bool works = threadIdx.x < kPatterns;
    const unsigned outside = all & ~(target << kLow | low);  // U, of the set of this thread's number
    if (threadIdx.x < kNextSets) base_three[threadIdx.x] = in_base_three(threadIdx.x);
    for (int v = 0; v < kFirst; ++v) {
        if (low >> v & 1) factors[v].set(cell(low), sums.negative(v, outside));
    }
    walk.start(sums, target, outside, blockIdx.y, loop_bits);
    BackwardTerms own;
    if (works) own.start(sums, target, pattern, reference);
    // Sums are folded by the set between, so it is the one that counts up.
    unsigned between = deposited(blockIdx.y << loop_bits, target);
    double folded = 0;
    for (int step = 0; step < 1 << loop_bits; ++step, between = (between - target) & target) {
        const unsigned set = (target & ~between) << kLow | low;
        source.set(cell(low), {backward[set], reference[set]});
        product.set(cell(low), walk.product(step, loop_bits));
        __syncthreads();
        // The target itself is not a source, nor are those that differ from it in low variables only.
        if (works) own.add_terms(source, product, factors, pattern, between != 0, terms);
        __syncthreads();
        folded = walk.fold(step, loop_bits, sum_patterns(terms[low & (kFirstSets - 1)], base_three, low >> kFirst, -1));
    }
    double* part = parts + (size_t(blockIdx.x) * gridDim.y + blockIdx.y) * kPlanes * kTile + low;
    part[0] = folded;
    for (int level = 0; level < loop_bits; ++level) part[(1 + level) * kTile] = walk.upper[level][low];
    // Again through shared memory, for the low variables.
    for (int plane = -1; plane < kFirst; ++plane) {
        __syncthreads();
        if (works) own.show(plane, terms);
        __syncthreads();
        const double* of_patterns = terms[low & (kFirstSets - 1)];
        double* planes = part + (1 + kLoop) * kTile;
        if (plane >= 0) {
            planes[plane * kTile] = sum_patterns(of_patterns, base_three, low >> kFirst, -1);
        } else {
            for (int v = 0; v < kNext; ++v) {
                if (low >> (kFirst + v) & 1) {
                    planes[(kFirst + v) * kTile] = sum_patterns(of_patterns, base_three, low >> kFirst, v);
                }
            }
        }
    }
}

// Adds the parts of each target, and the sources that differ from it in low variables only; then q / total.
extern "C" __global__ void finish_backward(const double* mantissas, const int* exponents, int n, double* backward,
                                           const int* reference, const double* forward, const int* forward_reference,
                                           const unsigned* targets, int loop_bits, int part_count, const double* parts,
                                           double total, int total_exponent, double* shares) {
    __shared__ double values[kTile];
    __shared__ int references[kTile];
    const ParentSums sums{mantissas, exponents, n};
    const unsigned target = targets[blockIdx.x], all = (1u << n) - 1;
    const int own = threadIdx.x;
    const unsigned set = target << kLow | own, outside = all & ~set;
    const double* planes = parts + size_t(blockIdx.x) * part_count * kPlanes * kTile + own;
    constexpr int kPart = kPlanes * kTile;
    double sum = sum_parts(planes, part_count, kPart), without[kLow];
#pragma unroll
    for (int v = 0; v < kLow; ++v) {
        without[v] = own >> v & 1 ? sum_parts(planes + (1 + kLoop + v) * kTile, part_count, kPart) : 0;
    }
    references[own] = reference[set];
    for (int size = 0; size <= kLow; ++size) {
        __syncthreads();
        if (__popc(own) != size) continue;
        for (int less = own; less != 0;) {
            less = (less - 1) & own;
            const Scaled product = sums.product(own ^ less, outside);
            const double term =
                values[less] * product.mantissa * power_of_two(product.exponent + references[less] - references[own]);
            sum += term;
#pragma unroll
            for (int v = 0; v < kLow; ++v) {
                if ((own ^ less) >> v & 1) without[v] += term;
            }
        }
        values[own] = set == 0 ? 1 : -sum;
    }
    backward[set] = values[own];
    const double scale = power_of_two(forward_reference[outside] + references[own] - total_exponent);
    const double factor = -forward[outside] / total;
#pragma unroll
    for (int v = 0; v < kLow; ++v) {
        if (own >> v & 1) shares[sums.place(v, outside)] = factor * without[v] * scale;
    }
    int level = 0;
    for (unsigned rest = target; rest != 0; rest &= rest - 1, ++level) {
        double upper = 0;
        if (level < loop_bits) {
            upper = sum_parts(planes + (1 + level) * kTile, part_count, kPart);
        } else {
            for (int part = 0; part < part_count; ++part) {
                if (part >> (level - loop_bits) & 1) upper += planes[size_t(part) * kPart];
            }
        }
        shares[sums.place(kLow + __ffs(rest) - 1, outside)] = factor * upper * scale;
    }
}

namespace {

constexpr int kBlock = 256, kPerThread = 16, kChunk = kBlock * kPerThread;

__device__ inline double sum_of_block(double value, double* scratch) {
    scratch[threadIdx.x] = value;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
    }
    __syncthreads();
    const double sum = scratch[0];
    __syncthreads();
    return sum;
}

}  // namespace

// For a variable v and a range of sets U: Σ q_v(U); for each other variable t, Σ_{U ∌ t} q_v(U); and for each other
// variable u, Σ_{U ∋ u} q_v(U) (1 - A_v(U∖u) / A_v(U)). The other variables are numbered without v.
extern "C" __global__ void sum_features(const double* mantissas, const int* exponents, int n, const double* shares,
                                        double* parts) {
    __shared__ double scratch[kBlock];
    const size_t sets = size_t(1) << (n - 1), first = size_t(blockIdx.x) * kChunk + threadIdx.x;
    const size_t base = size_t(blockIdx.y) << (n - 1);
    double* part = parts + (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * (2 * n - 1);
    double share[kPerThread], sum = 0;
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) {
        const size_t set = first + k * kBlock;
        share[k] = set < sets ? shares[base + set] : 0;
        sum += share[k];
    }
    sum = sum_of_block(sum, scratch);
    if (threadIdx.x == 0) part[0] = sum;
    for (int other = 0; other < n - 1; ++other) {
        double without = 0, through = 0;
#pragma unroll
        for (int k = 0; k < kPerThread; ++k) {
            const size_t set = first + k * kBlock, less = set & ~(size_t(1) << other);
            if (share[k] == 0) continue;
            if (set == less) {
                without += share[k];
            } else {
                const double ratio = mantissas[base + less] / mantissas[base + set] *
                                     power_of_two(exponents[base + less] - exponents[base + set]);
                through += share[k] * (1 - ratio);
            }
        }
        without = sum_of_block(without, scratch);
        through = sum_of_block(through, scratch);
        if (threadIdx.x == 0) {
            part[1 + other] = without;
            part[n + other] = through;
        }
    }
}

// Σ |H(U) g_U(V∖U)| / H(V) over a range of sets U: by how much the total amplifies the rounding errors of its terms.
extern "C" __global__ void sum_magnitudes(const double* mantissas, const int* exponents, int n, const double* forward,
                                          const int* reference, double* parts) {
    __shared__ double scratch[kBlock];
    const ParentSums sums{mantissas, exponents, n};
    const unsigned all = (1u << n) - 1;
    double sum = 0;
    for (int k = 0; k < kPerThread; ++k) {
        const size_t set = size_t(blockIdx.x) * kChunk + k * kBlock + threadIdx.x;
        if (set >= all) continue;
        const Scaled product = sums.product(all & ~unsigned(set), unsigned(set));
        sum += fabs(forward[set] * product.mantissa) * power_of_two(product.exponent + reference[set] - reference[all]);
    }
    sum = sum_of_block(sum, scratch);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum / forward[all];
}

// Adds the parts of each column: parts × columns for each row of the grid.
extern "C" __global__ void add_parts(const double* parts, int part_count, double* result) {
    __shared__ double scratch[kBlock];
    const int column = blockIdx.x, columns = gridDim.x, row = blockIdx.y;
    double sum = 0;
    for (int part = threadIdx.x; part < part_count; part += kBlock) {
        sum += parts[(size_t(row) * part_count + part) * columns + column];
    }
    sum = sum_of_block(sum, scratch);
    if (threadIdx.x == 0) result[row * columns + column] = sum;
}
