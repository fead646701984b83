#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
///
/// Or a convolution over an image in which each row lies beside the next G - 1, so that rows are there several times
/// (im2col along rows). With d = gcd(m*s, G), or m*s where w' has a single row:
///     x'[n, C*i + c, h, w] = x[n, c, d*h + i - top, w]
///     y[n, k, m*p + e, q] += x'[n, c', (m*s/d)*p + (G/d)*r', q*sw + t - left] * w'[K*e + k, c', r', t]
/// A window of any height is ceil(height / G) runs of memory.
struct InterleavedWork {
  std::int64_t rows = 1;  ///< G
  std::int64_t step = 0;  ///< d, where rows are there several times; else 0
  std::int64_t top = 0;   ///< rows outside the image that x' begins with; there alone
  Tensor image;           ///< x'
  Tensor weights;         ///< w'
  Work work;              ///< as it is with these; operands `x` and `w` have no tensor yet
  int x = -1, w = -1;     ///< operands
};

/// x' for x, or for any image.
Tensor interleaved(const Tensor& image, std::int64_t rows);

/// The work, a Conv and what joins its layer, for m = `results`. Nothing where the work is of another kind or in
/// groups, the filter is no constant or has one row, or G = 1, G does not divide the image's rows, or m the result's.
std::optional<InterleavedWork> interleave_rows(const Network& network, const Work& work, std::int64_t results);

/// The G, of those that leave w' as high the least, for which `gather_rows` has a form; none where the work is of
/// another kind or in groups, the filter no constant, m = `results` does not divide the result's rows, or a window for
/// m of them has more than 64 rows.
std::vector<std::int64_t> gatherable_rows(const Work& work, std::int64_t results);

/// The work for an x' in which rows are there several times, m = `results`; G = `rows`, between 2 and those of a window
/// for m rows of results. Nothing where there are no `gatherable_rows`.
std::optional<InterleavedWork> gather_rows(const Network& network, const Work& work, std::int64_t rows,
                                           std::int64_t results);

/// Whether the work computes each element of an image from the same element of another.
bool is_plain(const Work& work);

/// Plain work on images whose rows lie side by side; the operands' tensors are still the old ones. The number must
/// divide the rows.
Work interleave_plain(const Work& work, std::int64_t rows);

}  // namespace accord
