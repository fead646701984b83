#pragma once

#include <optional>

#include "compiler/mapping/homes.h"
#include "compiler/network/network.h"

namespace accord {

/// Where the elements of one tensor lie in the memory of another.
struct View {
  HomeStrides strides;      ///< bytes per index
  std::int64_t offset = 0;  ///< bytes from the other's element 0 to this one's
};

/// Whether the operator only shows its input's elements otherwise (Reshape, Transpose, Slice, Identity), so that its
/// result may need no memory of its own.
bool may_be_view(const Network& network, const Operator& op, const Homes& homes);

/// The operator's result as a view of its input, which has these strides; nothing where it takes a copy.
std::optional<View> view_of(const Network& network, const Operator& op, const HomeStrides& strides);

/// Strides under which memory that holds a tensor of shape `from` with `strides` is one of shape `to`; nothing where
/// the elements of an index of `to` are not equally far apart.
std::optional<HomeStrides> reshaped(const Shape& from, const HomeStrides& strides, const Shape& to);

}  // namespace accord
