#include "simulator/modules/stall_account.h"

#include <algorithm>
#include <limits>

namespace accord::sim {

Leaves::Leaves(std::vector<std::string> units, int semaphores) : units_(static_cast<int>(units.size())) {
  names_ = {"working",        "working: padding", "setup",        "waiting: memory latency",
            "waiting: link",  "waiting: port",    "draining",     "waiting: entries",
            "waiting: fence", "waiting: host",    "nothing to do"};
  for (const std::string& unit : units) names_.push_back("waiting: operand of " + unit);
  for (const std::string& unit : units) names_.push_back("waiting: queue of " + unit);
  for (int s = 0; s < semaphores; ++s) names_.push_back("waiting: semaphore " + std::to_string(s));
}

StallAccount::StallAccount(Layers& layers, const Cycle& settled) : layers_(layers), settled_(settled), charged_(1) {}

void StallAccount::charge(int leaf, Cycle until) {
  if (listener_ && charged_until_ < until) listener_->spent(component_, leaf, charged_until_, until);
  const auto& boundaries = layers_.boundaries();
  while (charged_until_ < until) {
    const std::size_t current = charged_.size() - 1;
    const bool split = current < boundaries.size() && boundaries[current].end < until;
    const Cycle end = split ? std::max(boundaries[current].end, charged_until_) : until;
    charged_.back()[leaf] += end - charged_until_;
    charged_until_ = end;
    if (split) charged_.emplace_back();
  }
}

void StallAccount::settle(Cycle limit) {
  layers_.charged(std::min(limit, spent_));
  std::size_t done = 0;
  for (; done < pending_.size() && pending_[done].until <= limit; ++done)
    charge(pending_[done].leaf, pending_[done].until);
  if (done < pending_.size()) charge(pending_[done].leaf, std::min(limit, pending_[done].until));
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
}

void StallAccount::close(Cycle total) {
  spend(Leaves::nothing_to_do, total);
  settle(std::numeric_limits<Cycle>::max());
  charged_.resize(std::max(charged_.size(), layers_.boundaries().size() + 1));
}

}  // namespace accord::sim
