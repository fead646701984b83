#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compilation.h"
#include "compiler/layer_search.h"

namespace accord {

/// What layers take, by the predictions of their searches, as their tensors lie and as they might lie.
class LayoutCost {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit LayoutCost(Compilation& compilation);

  /// In whose memory the tensor lies.
  TensorId owner(TensorId tensor) const { return owners_[tensor]; }
  /// Layers with an operand in this one's memory, ascending.
  const std::vector<std::size_t>& touching(TensorId owner) const { return touching_[owner]; }
  /// Per layer: of those that share memory, such as will not be able to.
  const std::vector<bool>& copies() const { return copies_; }
  const Operator& operator_of(const LayerPlan& layer) const {
    return network_.operators[static_cast<std::size_t>(layer.group.operators[0])];
  }

  /// Of these cycles: what another layout must take less than.
  double worth(double cycles) const { return worth_ * cycles; }
  double cycles(const LayerPlan& layer);
  double cycles(const std::vector<std::size_t>& layers);
  /// What the layer takes; of the host's as much as its bytes would take the machine, in and out.
  double copying(const LayerPlan& layer);
  /// What the tensor's bytes take in and out.
  double least_copying(TensorId tensor) const;
  /// Cycles that the layer may gain at most if the tensor's memory lies otherwise: 0 unless it moves that piece by
  /// piece, or in words that are half empty, and much of its time goes there.
  double gain(const LayerPlan& layer, TensorId tensor);

  /// Layers of the machine that touch what lies otherwise in these homes.
  std::vector<std::size_t> moved_layers(const Homes& homes) const;
  /// What these layers take with the homes as they are now, and their plans; `never` where they cannot, or take longer
  /// than the limit.
  double cycles_with(const std::vector<std::size_t>& layers, double limit, std::vector<LayerPlan>& plans);
  /// The layers are these now, in the homes as they are; `copies` as above.
  void take(const std::vector<std::size_t>& layers, std::vector<LayerPlan> plans, std::vector<bool> copies);

 private:
  void find_owners();
  bool has_short_rows(TensorId tensor, const Use& use) const;
  bool shares(TensorId tensor) const;
  bool grows_margin(const LayerPlan& layer, const Mapping& mapping) const;
  LayerPlan replanned(std::size_t layer);
  double missed(std::size_t layer, std::optional<LayerPlan>& plan);

  Compilation& compilation_;
  const Network& network_;
  SharedMachines shared_;
  double worth_;
  std::vector<TensorId> owners_;                    ///< per tensor
  std::vector<std::vector<std::size_t>> touching_;  ///< per owner
  std::vector<bool> copies_;
  std::map<std::string, double> missed_;  ///< by layer and homes
};

}  // namespace accord
