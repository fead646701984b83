#pragma once

#include <cstdint>
#include <optional>

#include "compiler/codelets/work.h"

namespace accord {

/// A convolution over an image whose rows lie G side by side as channels, and which computes m rows of results at once,
/// as if they were channels too. With rows that advance by s, and G = m*s:
///     x'[n, C*i + c, h, w] = x[n, c, G*h + i, w]
///     y[n, k, m*p + e, q] += x'[n, c', p + r' - top, q*sw + t - left] * w'[K*e + k, c', r', t]
/// where w' is w shifted down by s*e rows, and 0 where w has no row. Where x' lies with channels innermost, G rows of
/// a window are one run of memory: few input channels fill more of a dim that sums, few results (e, k) more of a dim
/// that does not. With m = 1 it is the space-to-depth stem of Ying et al., "Image Classification at Supercomputer
/// Scale", 2018, for rows alone.
struct InterleavedWork {
  std::int64_t rows = 1;  ///< G
  Tensor image;           ///< x': the input's elements, none added
  Tensor weights;         ///< w'
  Work work;              ///< as it is with these; operands `x` and `w` have no tensor yet
  int x = -1, w = -1;     ///< operands
};

/// x' for x, or for any image.
Tensor interleaved(const Tensor& image, std::int64_t rows);

/// The work, a Conv and what joins its layer, for m = `results`. Nothing where the work is of another kind or in
/// groups, the filter is no constant or has one row, or G = 1, G does not divide the image's rows, or m the result's.
std::optional<InterleavedWork> interleave_rows(const Network& network, const Work& work, std::int64_t results);

/// Whether the work computes each element of an image from the same element of another.
bool is_plain(const Work& work);

/// Plain work on images whose rows lie side by side; the operands' tensors are still the old ones. The number must
/// divide the rows.
Work interleave_plain(const Work& work, std::int64_t rows);

}  // namespace accord
