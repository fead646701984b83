#include "compiler/reference/broadcast.h"

#include "archdsl/source/error.h"

namespace accord::reference {

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::vector<std::int64_t> strided_indices(const Shape& shape, const std::vector<std::int64_t>& strides,
                                          std::int64_t first) {
  std::vector<std::int64_t> indices{first};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> finer;
    finer.reserve(indices.size() * static_cast<std::size_t>(shape[d]));
    for (std::int64_t index : indices) {
      for (std::int64_t i = 0; i < shape[d]; ++i) finer.push_back(index + i * strides[d]);
    }
    indices = std::move(finer);
  }
  return indices;
}

std::vector<std::int64_t> broadcast_indices(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) throw Error("shapes do not broadcast: rank of an operand exceeds the result's");
  const auto from_strides = row_major_strides(from);
  std::vector<std::int64_t> strides(to.size(), 0);
  const std::size_t lead = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[lead + d]) throw Error("shapes do not broadcast");
    strides[lead + d] = from[d] == 1 ? 0 : from_strides[d];
  }
  return strided_indices(to, strides);
}

}  // namespace accord::reference
