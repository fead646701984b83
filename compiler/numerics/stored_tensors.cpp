#include "compiler/numerics/stored_tensors.h"

#include <fmt/format.h>

#include <cmath>

namespace accord::numerics {

TensorId StoredTensors::as_stored(TensorId id) {
  if (rewrite_.stored(id) == no_tensor) {
    const Tensor& tensor = rewrite_.from().tensor(id);
    if (tensor.is_constant()) {
      rewrite_.set_stored(id, stored_constant(tensor, step(id)));
    } else {
      const TensorId stored = add_stored(id);
      rewrite_.add_operator("Quantize", tensor.name + ".quantise", {rewrite_.real(id)}, {stored}, scale_attribute(id));
    }
  }
  return rewrite_.stored(id);
}

TensorId StoredTensors::as_real(TensorId id) {
  if (id == no_tensor) return no_tensor;
  if (rewrite_.real(id) == no_tensor) {
    const Tensor& tensor = rewrite_.from().tensor(id);
    if (tensor.is_constant()) {
      rewrite_.set_real(id, rewrite_.add_constant(tensor));
    } else {
      const std::string name = rewrite_.keeps_name_in_fp32(id) ? tensor.name : tensor.name + ".fp32";
      rewrite_.set_real(id, rewrite_.add_tensor(name, ElementType::fp32, tensor.shape));
      rewrite_.add_operator("Dequantize", tensor.name + ".dequantise", {rewrite_.stored(id)}, {rewrite_.real(id)},
                            scale_attribute(id));
    }
  }
  return rewrite_.real(id);
}

std::map<std::string, Attribute> StoredTensors::scale_attribute(TensorId id) const {
  std::map<std::string, Attribute> attributes = {{"scale", static_cast<double>(scale(id))}};
  if (zero(id) != 0) attributes["zero"] = std::int64_t{zero(id)};
  return attributes;
}

TensorId StoredTensors::add_stored(TensorId id) {
  const TensorId stored =
      rewrite_.add_tensor(rewrite_.stored_name(id), numerics_.storage, rewrite_.from().tensor(id).shape,
                          Quantisation{{scale(id)}, -1, zero(id)});
  rewrite_.set_stored(id, stored);
  return stored;
}

TensorId StoredTensors::stored_constant(const Tensor& tensor, const ActivationScale& step) {
  std::vector<double> integers(count_of(tensor.shape));
  const float* values = constant_data<float>(tensor);
  for (std::size_t i = 0; i < integers.size(); ++i)
    integers[i] = std::nearbyint(values[i] / double{step.scale}) + step.zero;
  return rewrite_.add_constant(typed_constant(tensor.name, numerics_.storage, tensor.shape, integers));
}

TensorId StoredTensors::integer_constant(const std::string& name, const Shape& shape,
                                         const std::vector<std::int64_t>& values) {
  return rewrite_.add_constant(
      typed_constant(name, numerics_.accumulator, shape, std::vector<double>(values.begin(), values.end())));
}

std::vector<std::string> StoredTensors::names_where(const std::function<bool(TensorId)>& holds) const {
  std::vector<std::string> names;
  for (TensorId id = 0; id < std::ssize(scales_); ++id) {
    if (rewrite_.stored(id) != no_tensor && holds(id)) names.push_back(rewrite_.from().tensor(id).name);
  }
  return names;
}

void StoredTensors::warn_of_lost_integers() {
  const auto given = [&](TensorId id) {
    const Tensor& tensor = rewrite_.from().tensor(id);
    return tensor.is_constant() ? std::nullopt : tensor.quantisation;
  };
  const auto is_wide = [&](TensorId id) { return given(id) && is_too_wide(*given(id), numerics_.storage); };
  if (const auto wide = names_where(is_wide); !wide.empty()) {
    rewrite_.warn(
        fmt::format("{} tensors are of more than {}'s integers in the model (the first is '{}'): their scales cover "
                    "the values seen",
                    wide.size(), name(numerics_.storage), wide.front()));
  }
  const auto loses_zero = [&](TensorId id) {
    return given(id) && given(id)->zero != 0 && zero(id) == 0 && !is_wide(id);
  };
  if (const auto lost = names_where(loses_zero); !lost.empty()) {
    rewrite_.warn(fmt::format(
        "{} tensors lose their zero points (the first is '{}'): their range is kept around 0, in steps up to twice as "
        "coarse",
        lost.size(), lost.front()));
  }
}

}  // namespace accord::numerics
