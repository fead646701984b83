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

/// Whether the operator's result may be its input's elements, shown otherwise (Reshape, Transpose, Slice, Identity).
bool shows_input(const Operator& op);

/// Whether it is shown where it lies unless something else is quicker: its innermost elements stay side by side.
bool may_be_view(const Network& network, const Operator& op, const Homes& homes);

/// The operator's result as a view of its input, which has these strides; nothing where it takes a copy.
std::optional<View> view_of(const Network& network, const Operator& op, const HomeStrides& strides);

/// Strides under which memory that holds a tensor of shape `from` with `strides` is one of shape `to`; nothing where
/// the elements of an index of `to` are not equally far apart.
std::optional<HomeStrides> reshaped(const Shape& from, const HomeStrides& strides, const Shape& to);

/// Whether the work touches a part of a Concat: with a margin it would be copied into the whole.
bool touches_part(const Network& network, const Work& work);

}  // namespace accord
