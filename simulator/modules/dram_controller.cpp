#include "simulator/modules/dram_controller.h"

#include <algorithm>

namespace accord::sim {

using Clock = DramController::Clock;

Clock DramController::read(std::int64_t burst, Clock earliest) {
  settle(earliest);
  if (holds(burst, earliest)) return earliest;
  writing_ = false;
  const Clock at = channel_.access(false, burst, earliest);
  served_.push_back(at);
  return at;
}

Clock DramController::write(std::int64_t burst, Clock earliest) {
  settle(earliest);
  if (waits(burst)) return earliest;
  const Clock accepted = free_place(earliest);
  std::erase_if(leaving_, [&](const Leaving& write) { return write.at <= earliest; });
  waiting_.push_back({burst, accepted});
  if (std::ssize(waiting_) >= part().write_high()) write_batch(accepted);
  return accepted;
}

bool DramController::waits(std::int64_t burst) const {
  return std::ranges::find(waiting_, burst, &Waiting::burst) != waiting_.end();
}

bool DramController::holds(std::int64_t burst, Clock clock) const {
  const auto kept = [&](const Waiting& write) { return write.burst == burst && write.accepted <= clock; };
  const auto leaves = [&](const Leaving& write) { return write.burst == burst && write.at > clock; };
  return std::ranges::any_of(waiting_, kept) || std::ranges::any_of(leaving_, leaves);
}

Clock DramController::free_place(Clock earliest) const {
  if (std::ssize(waiting_) + std::ssize(leaving_) < part().write_queue) return earliest;
  std::vector<Clock> until;
  for (const Leaving& write : leaving_) {
    if (write.at > earliest) until.push_back(write.at);
  }
  const std::int64_t excess = std::ssize(waiting_) + std::ssize(until) - part().write_queue;
  if (excess < 0) return earliest;
  std::ranges::nth_element(until, until.begin() + excess);
  return until[static_cast<std::size_t>(excess)];
}

// The channel itself lets what is ready go ahead of what waits for its row.
std::size_t DramController::next_written() const {
  const std::int64_t oldest = waiting_.front().burst;
  if (channel_.is_open(oldest)) return 0;
  const auto keeps = [&](const Waiting& write) {
    return channel_.same_bank(write.burst, oldest) && channel_.is_open(write.burst);
  };
  const auto first = std::ranges::find_if(waiting_, keeps);
  return first == waiting_.end() ? 0 : static_cast<std::size_t>(first - waiting_.begin());
}

void DramController::settle(Clock clock) {
  const std::int64_t low = part().write_low();
  while (std::ssize(waiting_) >= low) {
    const Clock idle = std::max(waiting_[static_cast<std::size_t>(low - 1)].accepted, channel_.last() + 1);
    if (idle >= clock) return;
    write_batch(idle);
  }
}

void DramController::write_batch(Clock earliest) {
  if (!writing_ || earliest > channel_.last() + 1) since_ = earliest;
  writing_ = true;
  for (std::int64_t n = 0; n < part().write_batch() && !waiting_.empty(); ++n) place(next_written(), earliest);
}

void DramController::drain(Clock clock) {
  while (!waiting_.empty()) write_batch(std::max(clock, channel_.last() + 1));
}

void DramController::place(std::size_t waiting, Clock earliest) {
  const auto write = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting);
  const Clock at =
      channel_.access(true, write->burst, std::max(earliest, write->accepted), std::max(since_, write->accepted));
  leaving_.push_back({write->burst, at});
  served_.push_back(at);
  waiting_.erase(write);
}

}  // namespace accord::sim
