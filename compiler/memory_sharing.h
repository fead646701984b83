#pragma once

#include <optional>
#include <set>
#include <vector>

#include "compiler/compilation.h"

namespace accord {

/// Which tensors lie in the memory of others: parts of a Concat in the whole, results that only show their input
/// otherwise where that lies, or it where they do. Layers that cannot share memory are left to copy.
class MemorySharing {
 public:
  /// `outside_known`: tensors whose margins have a value.
  MemorySharing(const Network& network, Homes& homes, std::set<TensorId> outside_known)
      : network_(network), homes_(homes), outside_known_(std::move(outside_known)) {}

  /// Settles the homes of all tensors. True for each of the layers, which are all of the network's, in order, that has
  /// Placement::memory and cannot share any.
  std::vector<bool> run(const std::vector<LayerPlan>& layers);

  /// A part of a Concat that cannot lie in the whole.
  struct LonePart {
    std::size_t layer = 0;  ///< the Concat's
    TensorId part = no_tensor;
    const char* why = "";
  };
  /// The first of each Concat that shares no memory.
  const std::vector<LonePart>& lone_parts() const { return lone_parts_; }

 private:
  void settle_all();
  const char* obstacle(TensorId part, TensorId whole, std::size_t axis, std::optional<double> outside) const;
  bool share_concat(const Operator& op, std::size_t layer);
  bool wants_order(const Operator& transpose) const;
  std::optional<HomeStrides> strides_inside(TensorId from, TensorId to) const;
  std::optional<HomeStrides> source_strides(const Operator& op) const;
  void share_source(const Operator& op);
  bool share_view(const Operator& op);
  bool is_rewritten_image(TensorId tensor, const HomeStrides& shown) const;
  bool has_margin(TensorId tensor) const;
  bool can_alias(TensorId tensor) const;

  const Network& network_;
  Homes& homes_;
  std::set<TensorId> outside_known_;
  std::set<TensorId> by_host_;  ///< what the host computes
  std::set<TensorId> shown_;    ///< others' homes lie in theirs
  std::set<TensorId> views_;    ///< inputs that lie where a result does
  std::vector<LonePart> lone_parts_;
};

/// The strides that sharing will leave, as far as they are known before the margins are, and which tensors will lie
/// inside others. Returns what `MemorySharing::run` does.
std::vector<bool> foresee_strides(const Network& network, const std::vector<LayerPlan>& layers, Homes& homes);

}  // namespace accord
