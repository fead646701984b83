#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/codelets/work.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// Work whose main statement was made a product of matrices. A constant that shares an iterator g with the other factor
/// and with the result (the channels of a depthwise, the groups of a grouped convolution) leaves no dim to sum over:
///     y[p,g] += x[p,g] * w[g]
/// Blocks of `lanes` counts of g become a matrix with w on its diagonal and 0 beside it:
///     y[p,lanes*block+lane] += x[p,lanes*block+twin] * w[lanes*block+lane, lane-twin]
/// where w has got a last index of extent 1: beyond its shape a constant is 0. The other statements count g by block
/// and lane. In integers, where 0 times anything is 0, the results are the same.
/// (XLA's ConvolutionGroupConverter widens grouped filters by a mask in the same way, but over all groups at once.)
struct DiagonalForm {
  Work work;
  int statement = 0;       ///< the main one
  int block = -1;          ///< iterator over the blocks, in g's place
  int lane = -1;           ///< within a block, of the constant and the result
  int twin = -1;           ///< within a block, of the constant and the other factor: summed over
  std::int64_t lanes = 1;  ///< counts of g in a block; the last block may reach beyond g's end
};

/// The forms of the work, for the main statement at `statement`, that may fill a capability's dims: for each shared
/// iterator as many lanes as the dims hold, fewer that divide the iterator's extent better, and the number under which
/// instructions take the least time (where their time falls with the dims' extents, a smaller block has fewer zeros).
std::vector<std::shared_ptr<const DiagonalForm>> diagonal_forms(const Architecture& architecture, const Limits& limits,
                                                                const Work& work, int statement);

/// The same form of other work of the same structure (a slice of a layer); null where its blocks would be others.
std::shared_ptr<const DiagonalForm> same_form(const DiagonalForm& form, const Work& work);

/// Why the form's work is not the work itself: empty, it is. By algebra, knowing nothing of how forms are made.
std::string differs(const Work& work, const DiagonalForm& form);

/// The same question by enumeration: every point of the work is one of the form's, on the diagonal, with the same
/// elements, and what else the form adds is 0 or lies in margins. Takes time in the number of points.
std::string differs_at_points(const Work& work, const DiagonalForm& form);

}  // namespace accord
