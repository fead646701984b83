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

/// Integers that a model has for some of the tensors that operators may tie to one scale.
struct TiedIntegers {
  Quantisation quantisation;
  Range held;                   ///< and half a step beyond: what rounds to the last ones
  std::size_t group = 0;        ///< of tensors
  std::vector<TensorId> given;  ///< those with these integers whose values may lie beyond them
  bool has_rounded = false;     ///< others come from quantisers of the model: they are rounded in float, too
};

/// Finds who reads tensors as they are that would be stored in a model's integers.
class ModelIntegers {
 public:
  explicit ModelIntegers(const Network& network);

  /// Those that the tensor may be stored in, unless its values are theirs or surely lie within them, or none but
  /// quantisers of the model read it, which cut off what is beyond. Where movers turn out to be done in float, fewer
  /// tensors are tied, and any of these integers may be the only ones.
  std::vector<const TiedIntegers*> wanted_in(TensorId id);

  /// Where tensors whose values lie within the integers are tied to others.
  std::set<Reading> readings_within(const TiedIntegers& tied) const;

 private:
  void note_bounds(const Operator& op);
  void add(TensorId id);
  bool is_within(TensorId id, const Range& range) const;
  std::vector<TensorId> tied_inputs(const Operator& op, const Range& held) const;
  bool read_by_quantisers_alone(TensorId id, const TiedIntegers& tied);
  bool quantises(const Operator& reader, const TiedIntegers& tied);

  const Network& network_;
  const Uses uses_;
  const ScaleGroups groups_;
  std::vector<std::optional<Range>> bounds_;               ///< of values, known without a run
  std::map<std::size_t, std::vector<TiedIntegers>> tied_;  ///< by group, all different
  std::map<std::pair<TensorId, const TiedIntegers*>, bool> quantised_alone_;
};

}  // namespace accord::numerics
