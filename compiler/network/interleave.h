#pragma once

#include <cstdint>
#include <optional>

#include "compiler/network/network.h"

namespace accord {

/// A convolution whose rows advance by s, over an image whose rows lie s side by side as channels:
///     x'[n, s*c + i, h, w] = x[n, c, s*h + i, w]
///     y[n, k, p, q] = sum over c', r', t of x'[n, c', p + r' - pad', q*sw + t - left] * w'[k, c', r', t]
/// Rows of w' that w does not have are 0. Where x' lies with channels innermost, s rows of a window are one run of
/// memory: few input channels fill more of a dim that sums. (The same as TensorFlow's space-to-depth stems for TPUs,
/// rows only: Ying et al., "Image Classification at Supercomputer Scale", 2018, section 4.3.)
struct InterleavedConv {
  std::int64_t rows = 1;  ///< s
  Tensor image;           ///< x': the input's elements, none added
  Tensor weights;         ///< w'
  Operator conv;          ///< of x' and w', once its first two inputs are these
};

/// Of a Conv with constant weights, undilated rows that advance by two or more, and as many input rows as their
/// multiple; nothing for other operators.
std::optional<InterleavedConv> interleave_rows(const Network& network, const Operator& conv);

}  // namespace accord
