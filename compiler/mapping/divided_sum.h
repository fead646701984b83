#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/codelets/work.h"

namespace accord {

/// A sum of which parts are summed apart, as one more index s of the result, and the parts added afterwards. With K
/// steps of iterator k in each part
///     y[i] += f(i, k)
/// becomes two pieces of work:
///     p[s, i] = 0;  p[s, i] += f(i, K*s + k')
///     y[i] += p[s, i]
/// s counts in the operands and in p: `p` is divided over elements as any result is, however few results y has. In
/// integers the results are the same; floats are summed in another order.
struct DividedSum {
  std::int64_t parts = 1;  ///< counts of s
  std::int64_t steps = 1;  ///< K
  Tensor sums;             ///< p, in the type in which y is summed; without a name
  Work partial;            ///< gives p
  Work adding;             ///< the whole work but for the sum's statement, which adds p's parts
  int written = -1;        ///< p in `partial`; without a tensor
  int read = -1;           ///< p in `adding`; without a tensor
};

/// The iterators that the statement sums over, longest first; none where it is no sum, or reads what another statement
/// writes or a tensor names.
std::vector<int> summed_iterators(const Work& work, int statement);

/// The work with the sum over `iterator`, one of those, in so many parts of equal length; parts that do not divide its
/// extent reach beyond it, which must add nothing.
DividedSum divide_sum(const Work& work, int statement, int iterator, std::int64_t parts);

/// Where an operand is cut into the parts: the positions [begin, begin + K) of one of its indices are the first part's,
/// and the sum of what they add is all that the others being 0 would leave.
struct SumCut {
  int operand = -1;
  std::size_t index = 0;
  std::int64_t begin = 0;
};

/// Nothing where no operand's index is the iterator alone, or the statement adds more than products.
std::optional<SumCut> cut_of(const Work& work, int statement, int iterator);

}  // namespace accord
