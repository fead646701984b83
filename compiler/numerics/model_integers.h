#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/network/network.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/scale_groups.h"

namespace accord::numerics {

/// Between which values lie, or what integers hold.
struct Range {
  double low = 0, high = 0;
  bool holds(const Range& other) const { return other.low >= low && other.high <= high; }
};

/// Tensors that operators tie to one scale, and the integers that a model has for some of them.
struct TiedTensors {
  Range held;  ///< by all these integers together, and half a step beyond: what rounds to the last ones
  std::vector<TensorId> given;  ///< those with integers whose values may lie beyond them
  bool has_rounded = false;     ///< others come from quantisers of the model: they are rounded in float, too
};

/// Finds who reads tensors as they are that would be stored in a model's integers.
class ModelIntegers {
 public:
  explicit ModelIntegers(const Network& network);

  /// What ties the tensor to integers, unless its values surely lie within, or none but quantisers of the model read
  /// it, which cut off what is beyond; null: nothing is lost.
  const TiedTensors* may_saturate(TensorId id);

  /// Where tensors whose values lie within the integers are tied to others.
  std::set<Reading> readings_within(const TiedTensors& tied) const;

 private:
  void note_bounds(const Operator& op);
  bool is_within(TensorId id, const Range& range) const;
  const TiedTensors* tied_to(TensorId id) const;
  std::vector<TensorId> tied_inputs(const Operator& op) const;
  bool read_by_quantisers_alone(TensorId id, const TiedTensors& tied);
  bool quantises(const Operator& reader, const TiedTensors& tied);

  const Network& network_;
  const Uses uses_;
  const ScaleGroups groups_;
  std::vector<std::optional<Range>> bounds_;  ///< of values, known without a run
  std::map<std::size_t, TiedTensors> tied_;   ///< by group, where some have integers
  std::map<std::pair<TensorId, const TiedTensors*>, bool> quantised_alone_;
};

}  // namespace accord::numerics
