#include "compiler/frontends/onnx_sizes.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/limits.h"

namespace accord {

DynamicSizes::DynamicSizes(const OnnxOptions& options) : options_(options), sizes_(options.dimensions) {
  for (const auto& [name, size] : sizes_) unused_.insert(name);
}

std::optional<Shape> DynamicSizes::given(const std::string& input, std::size_t number) const {
  return options_.shape_given ? options_.shape_given(input, number) : std::nullopt;
}

bool DynamicSizes::learn(const onnx::ValueInfoProto& input, std::size_t number) {
  const auto shape = given(input.name(), number);
  const auto& dims = input.type().tensor_type().shape().dim();
  const bool fits = shape && std::equal(shape->begin(), shape->end(), dims.begin(), dims.end(),
                                        [](std::int64_t size, const auto& dim) {
                                          return !dim.has_dim_value() || dim.dim_value() < 1 || dim.dim_value() == size;
                                        });
  if (!fits) return false;
  for (int d = 0; d < dims.size(); ++d) {
    if (!dims[d].dim_param().empty()) sizes_.emplace(dims[d].dim_param(), (*shape)[static_cast<std::size_t>(d)]);
  }
  return true;
}

std::int64_t DynamicSizes::size_of(const onnx::ValueInfoProto& input, int d, std::size_t number,
                                   std::vector<std::string>& warnings) {
  const auto& dims = input.type().tensor_type().shape();
  const auto& name = dims.dim(d).dim_param();
  if (const auto chosen = sizes_.find(name); !name.empty() && chosen != sizes_.end()) {
    unused_.erase(name);
    return chosen->second;
  }
  std::int64_t size = 1;
  const auto shape = given(input.name(), number);
  if (shape && std::ssize(*shape) == dims.dim_size()) {
    size = (*shape)[static_cast<std::size_t>(d)];
  } else {
    const std::string what = dims.dim(d).has_dim_value() && dims.dim(d).dim_value() == 0 ? "given as 0" : "dynamic";
    assumed_.push_back(fmt::format("dimension {} of input '{}' is {}{}; 1 is assumed", d, input.name(), what,
                                   name.empty() ? "" : " (" + name + ")"));
    warnings.push_back(assumed_.back());
  }
  if (!name.empty()) sizes_[name] = size;  // the same wherever it stands
  return size;
}

std::string DynamicSizes::assumed() const {
  if (assumed_.empty()) return "";
  return fmt::format(" ({}; --dim NAME=SIZE or an input's file say otherwise)", fmt::join(assumed_, ", "));
}

Shape DynamicSizes::shape_of(const onnx::ValueInfoProto& input, std::size_t number,
                             std::vector<std::string>& warnings) {
  const auto& type = input.type().tensor_type();
  if (!type.has_shape()) throw Error("no shape is given");
  Shape shape;
  for (int d = 0; d < type.shape().dim_size(); ++d) {
    const auto& dim = type.shape().dim(d);
    const bool known = dim.has_dim_value() && dim.dim_value() > 0;
    if (dim.has_dim_value() && dim.dim_value() < -1) throw Error(fmt::format("dimension {}", dim.dim_value()));
    shape.push_back(known ? dim.dim_value() : size_of(input, d, number, warnings));
  }
  check_shape(shape);
  return shape;
}

void DynamicSizes::check(const onnx::GraphProto& graph) const {
  if (unused_.empty()) return;
  std::set<std::string> names;
  for (const auto& input : graph.input()) {
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
      if (!dim.dim_param().empty()) names.insert(dim.dim_param());
    }
  }
  throw Error(fmt::format("no input has a dimension '{}'; there are: {}", *unused_.begin(),
                          names.empty() ? "none with names" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace accord
