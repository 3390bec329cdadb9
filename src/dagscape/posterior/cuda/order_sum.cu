// Sums over orders on a GPU, in 8 bytes per set: native/src/sums/tiled_order_sum.cpp on blocks of threads.
//
//   F(S) = Σ_{i∈S} A_i(S) F(S∖i)      R(S) = Σ_{i∉S} A_i(S) R(S∪i)      Γ_v(G) = Σ_{S⊇G, v∉S} F(S) R(S∪v)
//
// The variables are split into low ones, the sets of which form a tile; middle ones; and top ones. A block of threads
// handles the tiles that agree on the top variables, one after the other. Blocks with equally many top variables are
// independent of each other, and are launched together. A_i is never stored for more than one tile; it is built from
// the families in three steps, each of which sums over the subsets of one part of S:
//
//   families     B_i(t ∪ m ∪ l)                  by their top parts t
//   bases        Σ_{t ⊆ top}     B_i(t ∪ m ∪ l)  for one choice of the top variables, by m and then by l
//   tile         Σ_{m ⊆ middle}  base_i(m ∪ l)   then the sums over the subsets of the low variables
//
// Γ takes the same steps in the opposite direction. Lists of sets are sorted by size, so that the sets with at most a
// given number of members come first. Every number has one writer, and every sum a fixed order: results do not depend
// on how blocks are scheduled.
//
// A number of a child is a double if the child's scores span a small range, and otherwise a word of a mantissa and an
// exponent. Both have 64 bits, and zero is the same in both.

namespace {

constexpr int kLow = 10;
constexpr int kTile = 1 << kLow;
constexpr int kThreads = 32 * kLow;  // one warp for each low variable
constexpr int kRow = 33;             // 32 numbers, and one more against bank conflicts
constexpr int kPadded = 32 * kRow;
constexpr int kMostMiddle = 6;
constexpr int kMiddleSets = 1 << kMostMiddle;
constexpr int kTogether = 4;  // a thread waits for this many numbers at a time

// Lists of small sets, as cuda/order_sum.py writes them.
struct SetLists {
    int by_size[kTile];                     // the sets of a tile, by size
    int first_of_size[kLow + 2];            // where the sets of a size begin
    int low_count;                          // the number of low sets that families may contain: the first in by_size
    int offset[kMiddleSets];                // where the bases of a middle set begin
    int subsets[kMiddleSets][kMiddleSets];  // the subsets of a middle set, by size
    int within[kMiddleSets][kLow + 1];      // how many of them can be joined with a low set of a given size
};

struct Shared {
    Word columns[kLow][kPadded];  // functions of the sets of the tile, one for each warp
    double mantissa[kTile];       // F or R of the tile
    int exponent[kTile];
    int offset[kMiddleSets];  // of the subsets of the middle variables of the tile
    int within[kLow + 1];
    int members[40];  // the high variables to sum over
    int member_count;
};

// Sums of numbers of one child; long sums are rounded to words only at the end.
struct PlainSums {
    double sum = 0;
    __device__ void add(Word term) { sum += __longlong_as_double(term); }
    __device__ Word rounded() const { return __double_as_longlong(sum); }
    __device__ static Word both(Word a, Word b) {
        return __double_as_longlong(__longlong_as_double(a) + __longlong_as_double(b));
    }
};

struct WordSums {
    Scaled sum{0, kNothing};
    __device__ void add(Word term) { sum = plus(sum, unpacked(term)); }
    __device__ Word rounded() const { return packed(sum); }
    __device__ static Word both(Word a, Word b) { return packed(plus(unpacked(a), unpacked(b))); }
};

enum class Over { subsets, supersets };

__device__ inline int padded(int set) { return set + (set >> 5); }

// A number of a child.
__device__ inline Scaled number(Word raw, bool wide) {
    return wide ? unpacked(raw) : normalised({__longlong_as_double(raw), 0});
}

template <Over over>
__device__ inline void transform_registers(double (&values)[32]) {
#pragma unroll
    for (int bit = 1; bit < 32; bit *= 2) {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if ((i & bit) == 0) continue;
            if (over == Over::subsets) {
                values[i] += values[i ^ bit];
            } else {
                values[i ^ bit] += values[i];
            }
        }
    }
}

// Sums over all subsets, or all supersets, of the sets of a tile, by one warp: first the upper five variables, then the
// lower five.
template <Over over>
__device__ __noinline__ void transform(PlainSums, Word* column) {
    const int lane = threadIdx.x % 32;
    double values[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) values[i] = __longlong_as_double(column[i * kRow + lane]);
    transform_registers<over>(values);
#pragma unroll
    for (int i = 0; i < 32; ++i) column[i * kRow + lane] = __double_as_longlong(values[i]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 32; ++i) values[i] = __longlong_as_double(column[lane * kRow + i]);
    transform_registers<over>(values);
#pragma unroll
    for (int i = 0; i < 32; ++i) column[lane * kRow + i] = __double_as_longlong(values[i]);
    __syncwarp();
}

// Additions of words take many instructions, which would not fit into the cache if they were unrolled.
template <Over over>
__device__ __noinline__ void transform(WordSums, Word* column) {
    for (int bit = 1; bit < kTile; bit *= 2) {
        for (int pair = threadIdx.x % 32; pair < kTile / 2; pair += 32) {
            const int below = pair & (bit - 1), without = below | (pair ^ below) << 1;
            Word &lower = column[padded(without)], &upper = column[padded(without | bit)];
            (over == Over::subsets ? upper : lower) = WordSums::both(lower, upper);
        }
        __syncwarp();
    }
}

// Some low sets that families may contain, a warp apart from each other, and with how many middle sets each can be
// joined. The first is the smallest, and can be joined with the most.
struct LowSets {
    int low[kTogether], pieces[kTogether];
    __device__ LowSets(int start, const SetLists& lists, const Shared& shared) {
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
            const int at = start + 32 * k;
            low[k] = at < lists.low_count ? lists.by_size[at] : 0;
            pieces[k] = at < lists.low_count ? shared.within[__popc(low[k])] : 0;
        }
    }
};

// A_i of the sets of the tile, by one warp.
template <class Sums>
__device__ inline void build_column(const Word* base, const SetLists& lists, const Shared& shared, Word* column) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 32; ++i) column[i * kRow + lane] = 0;
    __syncwarp();
    for (int start = lane; start < lists.low_count; start += 32 * kTogether) {
        const LowSets sets(start, lists, shared);
        Sums sums[kTogether];
        for (int piece = 0; piece < sets.pieces[0]; ++piece) {
            const Word* from = base + shared.offset[piece] + start;
            Word terms[kTogether];
#pragma unroll
            for (int k = 0; k < kTogether; ++k) terms[k] = piece < sets.pieces[k] ? from[32 * k] : 0;
#pragma unroll
            for (int k = 0; k < kTogether; ++k) sums[k].add(terms[k]);
        }
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
            if (sets.pieces[k] > 0) column[padded(sets.low[k])] = sums[k].rounded();
        }
    }
    __syncwarp();
    transform<Over::subsets>(Sums(), column);
}

// Adds the weights of the sets of the tile to those of the families, by one warp.
template <class Sums>
__device__ inline void share_column(Word* column, const SetLists& lists, const Shared& shared, Word* share) {
    __syncwarp();
    transform<Over::supersets>(Sums(), column);
    for (int start = threadIdx.x % 32; start < lists.low_count; start += 32 * kTogether) {
        const LowSets sets(start, lists, shared);
        Word values[kTogether];
#pragma unroll
        for (int k = 0; k < kTogether; ++k) values[k] = column[padded(sets.low[k])];
        for (int piece = 0; piece < sets.pieces[0]; ++piece) {
            Word* to = share + shared.offset[piece] + start;
            Word sums[kTogether];
#pragma unroll
            for (int k = 0; k < kTogether; ++k) sums[k] = piece < sets.pieces[k] ? to[32 * k] : 0;
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                if (piece < sets.pieces[k]) to[32 * k] = Sums::both(sums[k], values[k]);
            }
        }
    }
    __syncwarp();
}

// One block's part of the problem.
struct Walk {
    Word* words;        // F, then R
    const Word* bases;  // of this block's top variables
    Word* shares;       // Γ, like the bases
    const SetLists& lists;
    Shared& shared;
    const unsigned char* wide;
    int n, base_size;
    Scaled total;

    __device__ const Word* base(int i) const { return bases + size_t(i) * base_size; }
    __device__ Word* share(int i) const { return shares + size_t(i) * base_size; }

    __device__ void build(int i, Word* column) const {
        if (wide[i]) {
            build_column<WordSums>(base(i), lists, shared, column);
        } else {
            build_column<PlainSums>(base(i), lists, shared, column);
        }
    }
    __device__ void give(int i, Word* column) const {
        if (wide[i]) {
            share_column<WordSums>(column, lists, shared, share(i));
        } else {
            share_column<PlainSums>(column, lists, shared, share(i));
        }
    }

    // Lists the high variables that are in the tile, or that are not, and the subsets of its middle variables.
    __device__ void start(Word tile, int middle, bool forwards) const {
        // F(∅) = R(V) = 1
        const bool holds_one = tile == (forwards ? 0 : (Word(1) << (n - kLow)) - 1);
        const int one = forwards ? 0 : kTile - 1;
        for (int set = threadIdx.x; set < kTile; set += kThreads) {
            const bool is_one = holds_one && set == one;
            shared.mantissa[set] = is_one ? 0.5 : 0;
            shared.exponent[set] = is_one ? 1 : kNothing;
        }
        if (threadIdx.x < kMiddleSets) shared.offset[threadIdx.x] = lists.offset[lists.subsets[middle][threadIdx.x]];
        if (threadIdx.x <= kLow) shared.within[threadIdx.x] = lists.within[middle][threadIdx.x];
        if (threadIdx.x == 0) {
            int count = 0;
            for (int i = kLow; i < n; ++i) {
                if (((tile >> (i - kLow)) & 1) == forwards) shared.members[count++] = i;
            }
            shared.member_count = count;
        }
        __syncthreads();
    }

    // The weight of a set for Γ, as a number of a child. Only the total includes the child's own scale.
    __device__ Word weight(Scaled forward, Scaled after, bool is_wide) const {
        const Scaled product = times(forward, after);
        const Scaled value{product.mantissa / total.mantissa, product.exponent - total.exponent};
        if (is_wide) return packed(value);
        if (value.exponent < -999) return 0;
        return __double_as_longlong(value.mantissa * power_of_two(min(value.exponent, 1000)));
    }

    // The terms of up to ten high variables.
    template <bool with_shares>
    __device__ void add_terms(Word tile, int first, int count) const {
        for (int set = threadIdx.x; set < kTile; set += kThreads) {
            Scaled sum{shared.mantissa[set], shared.exponent[set]};
            const Scaled own = with_shares ? unpacked(words[tile << kLow | set]) : nothing();
            for (int start = 0; start < count; start += kTogether) {
                Word others[kTogether];
#pragma unroll
                for (int k = 0; k < kTogether; ++k) {
                    const Word bit = Word(1) << (shared.members[first + min(start + k, count - 1)] - kLow);
                    others[k] = start + k < count ? words[(tile ^ bit) << kLow | set] : 0;
                }
#pragma unroll
                for (int k = 0; k < kTogether; ++k) {
                    if (start + k >= count) break;
                    const bool is_wide = wide[shared.members[first + start + k]];
                    const Scaled other = unpacked(others[k]);
                    Word& cell = shared.columns[start + k][padded(set)];
                    sum = plus(sum, times(other, number(cell, is_wide)));
                    if (with_shares) cell = weight(own, other, is_wide);
                }
            }
            shared.mantissa[set] = sum.mantissa;
            shared.exponent[set] = sum.exponent;
        }
    }

    // The terms of the low variables, one size of sets after the other.
    template <bool forwards>
    __device__ void finish_tile() const {
        for (int step = 0; step <= kLow; ++step) {
            const int size = forwards ? step : kLow - step;
            const int at = lists.first_of_size[size] + threadIdx.x;
            if (at < lists.first_of_size[size + 1]) {
                const int set = lists.by_size[at];
                Scaled sum{shared.mantissa[set], shared.exponent[set]};
                for (int rest = forwards ? set : set ^ (kTile - 1); rest != 0; rest &= rest - 1) {
                    const int i = __ffs(rest) - 1, other = set ^ (1 << i);
                    sum = plus(sum, times({shared.mantissa[other], shared.exponent[other]},
                                          number(shared.columns[i][padded(set)], wide[i])));
                }
                sum = normalised(sum);
                shared.mantissa[set] = sum.mantissa;
                shared.exponent[set] = sum.exponent;
            }
            __syncthreads();
        }
    }

    template <bool forwards>
    __device__ void fill(Word tile, int middle) const {
        const int warp = threadIdx.x / 32;
        start(tile, middle, forwards);
        for (int first = 0; first < shared.member_count; first += kLow) {
            const int count = min(kLow, shared.member_count - first);
            if (warp < count) build(shared.members[first + warp], shared.columns[warp]);
            __syncthreads();
            add_terms<!forwards>(tile, first, count);
            __syncthreads();
            if (!forwards && warp < count) give(shared.members[first + warp], shared.columns[warp]);
        }
        build(warp, shared.columns[warp]);
        __syncthreads();
        finish_tile<forwards>();
        if (!forwards) share_low_variable(tile, warp);
        __syncthreads();
        for (int set = threadIdx.x; set < kTile; set += kThreads) {
            words[tile << kLow | set] = packed({shared.mantissa[set], shared.exponent[set]});
        }
        __syncthreads();
    }

    // Γ of a low variable, by one warp.
    __device__ void share_low_variable(Word tile, int i) const {
        for (int set = threadIdx.x % 32; set < kTile; set += 32) {
            const int after = set | 1 << i;
            shared.columns[i][padded(set)] = after == set
                                                 ? 0
                                                 : weight(unpacked(words[tile << kLow | set]),
                                                          {shared.mantissa[after], shared.exponent[after]}, wide[i]);
        }
        give(i, shared.columns[i]);
    }
};

}  // namespace

// The number of bytes of shared memory that a walk needs.
extern "C" __global__ void shared_bytes(int* bytes) { *bytes = sizeof(Shared); }

// Converts scores to the numbers of the families: `scores` is by size and then by mask, the families are by their top
// parts. `choose` is Pascal's triangle, with rows of 41.
extern "C" __global__ void weigh_families(const long long* scores, const Word* masks, const long long* first_of_size,
                                          const long long* choose, const unsigned char* wide, int unit_bits,
                                          long long families, Word* numbers) {
    const long long family = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (family >= families) return;
    const int child = blockIdx.y;
    const Word mask = masks[family];
    long long rank = first_of_size[__popcll(mask)];
    int position = 1;
    for (Word rest = mask; rest != 0; rest &= rest - 1) rank += choose[(__ffsll(rest) - 1) * 41 + position++];
    const Scaled weight = weight_of_score(scores[child * families + rank], unit_bits);
    numbers[child * families + family] =
        wide[child] ? packed(weight) : __double_as_longlong(ldexp(weight.mantissa, max(weight.exponent, -1100)));
}

namespace {

template <class Sums>
__device__ inline Word sum_over_tops(const Word* numbers, const unsigned* tops, const long long* first_of_top,
                                     int count, unsigned chosen) {
    Sums sums;
    for (int top = 0; top < count; ++top) {
        if ((tops[top] & ~chosen) == 0) sums.add(numbers[first_of_top[top]]);
    }
    return sums.rounded();
}

template <class Sums>
__device__ inline Word sum_over_blocks(const Word* shares, size_t stride, const unsigned* blocks, int count,
                                       unsigned top) {
    Sums sums;
    for (int block = 0; block < count; ++block) {
        if ((top & ~blocks[block]) == 0) sums.add(shares[block * stride]);
    }
    return sums.rounded();
}

}  // namespace

// Sums the families of each child over the subsets of the top variables of each block. The sets of low and middle
// variables, in `sizes` and `places`, are by size; so are `tops`, the top parts of families.
extern "C" __global__ void build_bases(const Word* numbers, long long families, const unsigned* tops,
                                       const long long* first_of_top, const int* tops_within, const unsigned* blocks,
                                       const int* sizes, const int* places, int base_size, int max_parents,
                                       const unsigned char* wide, Word* bases) {
    const int set = blockIdx.x * blockDim.x + threadIdx.x;
    if (set >= base_size) return;
    const int child = blockIdx.y;
    const unsigned chosen = blocks[blockIdx.z];
    const Word* of_child = numbers + child * families + set;
    const int count = tops_within[max_parents - sizes[set]];
    bases[(size_t(blockIdx.z) * gridDim.y + child) * base_size + places[set]] =
        wide[child] ? sum_over_tops<WordSums>(of_child, tops, first_of_top, count, chosen)
                    : sum_over_tops<PlainSums>(of_child, tops, first_of_top, count, chosen);
}

// The opposite direction: adds the shares of some blocks to those of the families, in the order of the blocks.
extern "C" __global__ void add_shares(const Word* shares, const Word* masks, const int* family_places,
                                      long long families, const unsigned* blocks, int block_count, int base_bits,
                                      int base_size, const unsigned char* wide, Word* family_shares) {
    const long long family = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (family >= families) return;
    const int child = blockIdx.y, n = gridDim.y;
    const unsigned top = unsigned(masks[family] >> base_bits);
    const Word* share = shares + size_t(child) * base_size + family_places[family];
    const size_t stride = size_t(n) * base_size;
    Word& to = family_shares[child * families + family];
    to = wide[child] ? WordSums::both(to, sum_over_blocks<WordSums>(share, stride, blocks, block_count, top))
                     : PlainSums::both(to, sum_over_blocks<PlainSums>(share, stride, blocks, block_count, top));
}

extern "C" __global__ __launch_bounds__(kThreads, 2) void sum_forward(Word* words, const Word* bases,
                                                                      const SetLists* lists, const unsigned* blocks,
                                                                      const unsigned char* wide, int n, int middle_bits,
                                                                      int base_size) {
    extern __shared__ Word memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const Walk walk{words,    bases + size_t(blockIdx.x) * n * base_size, nullptr, *lists, shared, wide, n, base_size,
                    nothing()};
    for (int middle = 0; middle < 1 << middle_bits; ++middle) {
        walk.fill<true>(Word(blocks[blockIdx.x]) << middle_bits | middle, middle);
    }
}

extern "C" __global__ __launch_bounds__(kThreads, 2) void sum_backward(Word* words, const Word* bases, Word* shares,
                                                                       const SetLists* lists, const unsigned* blocks,
                                                                       const unsigned char* wide, int n,
                                                                       int middle_bits, int base_size, Word total) {
    extern __shared__ Word memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const size_t own = size_t(blockIdx.x) * n * base_size;
    const Walk walk{words, bases + own, shares + own, *lists, shared, wide, n, base_size, unpacked(total)};
    for (int middle = (1 << middle_bits) - 1; middle >= 0; --middle) {
        walk.fill<false>(Word(blocks[blockIdx.x]) << middle_bits | middle, middle);
    }
}

// P(u → v) = Σ over the families of v that contain u of B_v Γ_v, one block of threads for each pair.
extern "C" __global__ void sum_edges(const Word* numbers, const Word* shares, const Word* masks, long long families,
                                     const unsigned char* wide, double* edges) {
    const int u = blockIdx.x, v = blockIdx.y, n = gridDim.x;
    __shared__ double parts[256];
    double sum = 0;
    for (long long family = threadIdx.x; family < families; family += 256) {
        if (((masks[family] >> u) & 1) == 0) continue;
        const Scaled both =
            times(number(numbers[v * families + family], wide[v]), number(shares[v * families + family], wide[v]));
        sum += both.mantissa * power_of_two(both.exponent);
    }
    parts[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0) edges[u * n + v] = parts[0];
}
