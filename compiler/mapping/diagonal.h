#pragma once

#include <memory>
#include <vector>

#include "compiler/mapping/limits.h"
#include "compiler/mapping/work_form.h"

namespace accord {

/// Forms whose main statement is a product of matrices. A constant that shares an iterator g with the other factor and
/// with the result (the channels of a depthwise, the groups of a grouped convolution) leaves no dim to sum over:
///     y[p,g] += x[p,g] * w[g]
/// Blocks of `lanes` counts of g become a matrix with w on its diagonal and 0 beside it:
///     y[p,lanes*block+lane] += x[p,lanes*block+twin] * w[lanes*block+lane, lane-twin]
/// where w has got a last index of extent 1: beyond its shape a constant is 0. The other statements count g by block
/// and lane. The results are the same in integers, and in floats while x is finite: a result of a block that reads an
/// infinite x is no number, where the work's own may be one.
/// (XLA's ConvolutionGroupConverter widens grouped filters by a mask in the same way, but over all groups at once.)
///
/// Those of the work, for the main statement at `statement`, that may fill a capability's dims: for each shared
/// iterator as many lanes as the dims hold, fewer that divide the iterator's extent better, and the number under which
/// instructions take the least time (where their time falls with the dims' extents, a smaller block has fewer zeros).
std::vector<std::shared_ptr<const WorkForm>> diagonal_forms(const Architecture& architecture, const Limits& limits,
                                                            const Work& work, int statement);

/// The same form of other work of the same structure; null where its blocks would be others.
std::shared_ptr<const WorkForm> same_diagonal(const WorkForm& form, const Work& work);

}  // namespace accord
