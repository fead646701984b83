#pragma once

#include "simulator/modules/datapath.h"

namespace accord::sim {

/// A data path whose memories and links take time, each with its account.
template <class Memory, class Link>
class TimedDatapath : public Datapath {
 public:
  std::vector<StallAccount*> accounts() override {
    std::vector<StallAccount*> result;
    for (auto& memory : memories_) result.push_back(&memory->account());
    for (std::size_t l = 0; l < run_.architecture.links.size(); ++l) result.push_back(&links_[l]->account());
    return result;
  }
  void settle(Cycle total) override {
    for (auto& memory : memories_) memory->account().spend_until(total);
  }
  std::int64_t link_bytes(std::size_t index) const override { return links_[index]->bytes(); }

 protected:
  explicit TimedDatapath(RunState& run) : run_(run) {}

  RunState& run_;
  std::vector<std::unique_ptr<Memory>> memories_;
  std::vector<std::unique_ptr<Link>> links_;  ///< the covenant's, then private wires
};

}  // namespace accord::sim
