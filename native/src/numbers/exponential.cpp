#include "dagscape/numbers/exponential.hpp"

#include <cstddef>

#include "dagscape/numbers/exponential_lanes.hpp"

namespace dagscape {

void exponentials_of_nonpositive(std::span<const double> x, std::span<double> out) noexcept {
    std::size_t i = 0;
    for (; i + 4 <= x.size(); i += 4) store(&out[i], exp_of_nonpositive(load(&x[i])));
    for (; i < x.size(); ++i) out[i] = exp_of_nonpositive(broadcast(x[i]))[0];
}

}  // namespace dagscape
