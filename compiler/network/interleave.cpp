#include "compiler/network/interleave.h"

#include <cstring>

namespace accord {
namespace {

/// Where the filter's rows lie among those of w'.
struct Rows {
  std::int64_t side_by_side = 1;
  std::int64_t shift = 0;  ///< rows of zeros before the first, so that the padding is whole rows of x'
  std::int64_t pad = 0;    ///< of x', above
  std::int64_t count = 0;  ///< of w'
};

Rows rows_of(const Operator& conv, std::int64_t filter_rows) {
  const std::int64_t stride = attribute(conv, "strides", Shape{1, 1})[0];
  const std::int64_t pad = attribute(conv, "pads", Shape{0, 0, 0, 0})[0];
  Rows rows{.side_by_side = stride, .pad = (pad + stride - 1) / stride};
  rows.shift = rows.pad * stride - pad;
  rows.count = (filter_rows + rows.shift + stride - 1) / stride;
  return rows;
}

Tensor interleave_weights(const Tensor& weights, const Rows& rows) {
  const Shape& from = weights.shape;
  Tensor result = weights;
  result.name += "/rows";
  result.shape = {from[0], from[1] * rows.side_by_side, rows.count, from[3]};
  const auto run = static_cast<std::size_t>(from[3] * bytes(weights.type));  // a row of the filter
  auto data =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(element_count(result.shape) / from[3]) * run);
  for (std::int64_t kc = 0; kc < from[0] * from[1]; ++kc) {
    for (std::int64_t r = 0; r < from[2]; ++r) {
      const std::int64_t at = r + rows.shift;
      const std::int64_t channel = kc * rows.side_by_side + at % rows.side_by_side;
      std::memcpy(data->data() + static_cast<std::size_t>(channel * rows.count + at / rows.side_by_side) * run,
                  weights.data->data() + static_cast<std::size_t>(kc * from[2] + r) * run, run);
    }
  }
  result.data = std::move(data);
  return result;
}

bool applies(const Network& network, const Operator& op) {
  if (op.type != "Conv") return false;
  const Tensor &image = network.tensor(op.inputs[0]), &weights = network.tensor(op.inputs[1]);
  if (image.shape.size() != 4 || image.is_constant() || !weights.is_constant()) return false;
  const std::int64_t stride = attribute(op, "strides", Shape{1, 1})[0];
  return stride > 1 && attribute(op, "dilations", Shape{1, 1})[0] == 1 && image.shape[2] % stride == 0;
}

}  // namespace

std::optional<InterleavedConv> interleave_rows(const Network& network, const Operator& conv) {
  if (!applies(network, conv)) return std::nullopt;
  const Tensor &image = network.tensor(conv.inputs[0]), &weights = network.tensor(conv.inputs[1]);
  const Rows rows = rows_of(conv, weights.shape[2]);
  InterleavedConv result{rows.side_by_side, image, interleave_weights(weights, rows), conv};
  result.image.name += "/rows";
  result.image.shape[1] *= rows.side_by_side;
  result.image.shape[2] /= rows.side_by_side;
  const std::int64_t last = network.tensor(conv.outputs[0]).shape[2] - 1 + rows.count - rows.pad;
  auto pads = attribute(conv, "pads", Shape{0, 0, 0, 0});
  pads[0] = rows.pad;
  pads[2] = last - result.image.shape[2];
  if (pads[2] < 0) return std::nullopt;  // leaves rows of the image out
  result.conv.attributes["pads"] = pads;
  result.conv.attributes["strides"] = Shape{1, attribute(conv, "strides", Shape{1, 1})[1]};
  result.conv.attributes["kernel_shape"] = Shape{rows.count, weights.shape[3]};
  return result;
}

}  // namespace accord
