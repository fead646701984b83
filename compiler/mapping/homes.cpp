#include "compiler/mapping/homes.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/views.h"
#include "compiler/network/images.h"

namespace accord {

namespace {

/// Indices from outermost to innermost: channels last for images.
std::vector<std::size_t> storage_order(std::size_t rank, bool image) {
  if (rank == 4 && image) return {0, 2, 3, 1};
  if (rank == 3 && image) return {0, 2, 1};
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

void settle(Home& home, const Shape& shape, ElementType type) {
  const std::size_t rank = shape.size();
  home.before.resize(rank, 0);
  home.after.resize(rank, 0);
  home.relied.resize(rank, false);
  home.strides.assign(rank, 0);
  assert(home.order.size() == rank);
  std::int64_t step = bytes(type);
  for (auto it = home.order.rbegin(); it != home.order.rend(); ++it) {
    home.strides[*it] = step;
    step *= home.before[*it] + shape[*it] + home.after[*it];
    if (it == home.order.rbegin()) step = round_up(step, home.pitch);
  }
  home.bytes = step;
  home.margin_bytes = step - element_count(shape) * bytes(type);
  home.origin = 0;
  for (std::size_t i = 0; i < rank; ++i) home.origin += home.before[i] * home.strides[i];
}

std::vector<std::size_t> order_of(const Shape& shape, const HomeStrides& strides) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if ((shape[a] == 1) != (shape[b] == 1)) return shape[a] == 1;
    return shape[a] != 1 && strides[a] > strides[b];
  });
  return order;
}

void reach(Home& home, const Shape& shape, const Access& access, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    std::int64_t low = access.indices[i].offset;
    std::int64_t high = low;
    for (const auto& [it, coefficient] : access.indices[i].terms) {
      (coefficient < 0 ? low : high) += coefficient * (extents[it] - 1);
    }
    home.before[i] = std::max(home.before[i], -low);
    home.after[i] = std::max(home.after[i], high + 1 - shape[i]);
  }
}

Home margins_of(const Shape& shape, const Access& access, const std::vector<std::int64_t>& extents) {
  Home home;
  home.before.assign(shape.size(), 0);
  home.after.assign(shape.size(), 0);
  reach(home, shape, access, extents);
  return home;
}

namespace {

/// Whether the margins of the one are at least the other's.
bool covers(const Home& home, const Home& other) {
  return std::ranges::equal(home.before, other.before, std::greater_equal()) &&
         std::ranges::equal(home.after, other.after, std::greater_equal());
}

}  // namespace

HomeStrides reached_strides(const Home& home, const Shape& shape, const Access& access,
                            const std::vector<std::int64_t>& extents) {
  const Home alone = margins_of(shape, access, extents);
  const bool settled = home.address >= 0 || home.alias >= 0;
  if (settled || covers(home, alone)) return home.strides;
  HomeStrides strides = home.strides;
  for (std::size_t at = home.order.size(); at-- > 1;) {
    const std::size_t index = home.order[at], outer = home.order[at - 1];
    const std::int64_t length = home.strides[outer] / std::max<std::int64_t>(home.strides[index], 1);
    if (length < shape[index] && shape[outer] > 1) return home.strides;  // shown inside another tensor
    const std::int64_t reached = alone.before[index] + shape[index] + alone.after[index];
    const bool same = reached <= length && strides[index] == home.strides[index];
    if (!same) strides[outer] = std::max(length, reached) * strides[index];
  }
  return strides;
}

namespace {

/// What a Transpose weaves into an image (phases of a transposed convolution, blocks of depth, shuffled channels) lies
/// as the image will.
void lay_like_images(const Network& network, const std::vector<bool>& images, Homes& homes) {
  std::vector<bool> transposed(homes.size(), false);
  for (const Operator& op : network.operators) {
    if (op.type == "Transpose") transposed[static_cast<std::size_t>(op.outputs[0])] = true;
    if (op.type != "Reshape" || op.inputs[0] == no_tensor) continue;
    const auto from = static_cast<std::size_t>(op.inputs[0]), to = static_cast<std::size_t>(op.outputs[0]);
    if (!transposed[from] || images[from] || !images[to]) continue;
    const Tensor& woven = network.tensors[from];
    const auto strides = reshaped(network.tensors[to].shape, homes[to].strides, woven.shape);
    if (!strides) continue;
    homes[from].order = order_of(woven.shape, *strides);
    settle(homes[from], woven.shape, woven.type);
  }
}

}  // namespace

Homes initial_homes(const Network& network) {
  const auto images = image_tensors(network);
  Homes homes(network.tensors.size());
  for (std::size_t t = 0; t < homes.size(); ++t) {
    homes[t].order = storage_order(network.tensors[t].shape.size(), images[t]);
    settle(homes[t], network.tensors[t].shape, network.tensors[t].type);
  }
  lay_like_images(network, images, homes);
  return homes;
}

}  // namespace accord
