#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"
#include "compiler/numerics/rewrite.h"
#include "compiler/numerics/scales.h"
#include "compiler/numerics/stored_ranges.h"

namespace accord::numerics {

/// The tensors of a network that is being quantised: in the storage type, in fp32, or in both, as they are asked for.
class StoredTensors {
 public:
  /// `rewrite` and `numerics` must outlive it. `scales`: of every tensor.
  StoredTensors(Rewrite& rewrite, const Numerics& numerics, const std::vector<PlannedOperator>& plan,
                std::vector<ActivationScale> scales)
      : rewrite_(rewrite),
        numerics_(numerics),
        scales_(std::move(scales)),
        ranges_(stored_ranges(rewrite.from(), plan, scales_, numerics.storage)) {}

  const ActivationScale& step(TensorId id) const { return scales_[static_cast<std::size_t>(id)]; }
  float scale(TensorId id) const { return step(id).scale; }
  int zero(TensorId id) const { return step(id).zero; }
  /// Of its integers.
  const StoredRange& range(TensorId id) const { return ranges_[static_cast<std::size_t>(id)]; }

  /// The tensor in the storage type, quantised from fp32 where it only exists so.
  TensorId as_stored(TensorId id);

  /// The tensor in fp32 (or, if it is none, as it is).
  TensorId as_real(TensorId id);

  /// A tensor in the storage type that an operator will make.
  TensorId add_stored(TensorId id);

  /// In the accumulator type.
  TensorId integer_constant(const std::string& name, const Shape& shape, const std::vector<std::int64_t>& values);

  /// Says of which stored tensors the model's integers or zero points are not kept.
  void warn_of_lost_integers();

 private:
  std::vector<std::string> names_where(const std::function<bool(TensorId)>& holds) const;
  std::map<std::string, Attribute> scale_attribute(TensorId id) const;
  TensorId stored_constant(const Tensor& tensor, const ActivationScale& step);

  Rewrite& rewrite_;
  const Numerics& numerics_;
  std::vector<ActivationScale> scales_;
  std::vector<StoredRange> ranges_;
};

}  // namespace accord::numerics
