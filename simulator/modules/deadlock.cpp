#include <fmt/format.h>

#include <algorithm>

#include "simulator/modules/controller.h"

namespace accord::sim {

namespace {

using Kind = UnitModule::Entry::Kind;

}  // namespace

// Nodes: units by index, then the controller.
std::vector<int> Controller::waits_for(int node) const {
  const int units = static_cast<int>(units_.size());
  std::vector<int> result;
  if (node == units) {
    if (wait_ == Wait::queue) result.push_back(feed_.instruction()->unit);
    for (int u = 0; wait_ == Wait::idle && u < units; ++u) {
      if (!units_[static_cast<std::size_t>(u)]->idle()) result.push_back(u);
    }
    return result;
  }
  const auto& queue = units_[static_cast<std::size_t>(node)]->queue();
  if (queue.empty() || queue.front().kind != Kind::wait) return result;
  for (int u = 0; u < units; ++u) {
    const bool gives =
        std::ranges::any_of(units_[static_cast<std::size_t>(u)]->queue(), [&](const UnitModule::Entry& entry) {
          return entry.kind == Kind::signal && entry.semaphore == queue.front().semaphore;
        });
    if (gives) result.push_back(u);
  }
  if (result.empty() && wait_ != Wait::nothing) result.push_back(units);
  return result;
}

std::string Controller::describe(int node) const {
  if (node == static_cast<int>(units_.size())) {
    if (wait_ == Wait::queue)
      return fmt::format("the controller waits for a place in the queue of {}", unit_name(feed_.instruction()->unit));
    return "the controller waits for all units to be idle";
  }
  const auto& queue = units_[static_cast<std::size_t>(node)]->queue();
  if (queue.empty()) return fmt::format("{} has nothing to do", unit_name(node));
  const UnitModule::Entry& head = queue.front();
  if (head.kind != Kind::wait)
    return fmt::format("{} cannot start {}", unit_name(node), run_.hazards.describe(head.instruction, head.mnemonic));
  return fmt::format("{} waits for semaphore {} at {}", unit_name(node), head.semaphore,
                     run_.hazards.describe(head.instruction, head.mnemonic));
}

std::string Controller::unit_name(int unit_index) const {
  return run_.architecture.units[static_cast<std::size_t>(unit_index)].name;
}

void Controller::report_deadlock() {
  std::vector<int> path;
  int node = static_cast<int>(units_.size());
  for (int u = 0; u < node; ++u) {
    if (!units_[static_cast<std::size_t>(u)]->queue().empty()) node = u;
  }
  while (std::ranges::find(path, node) == path.end()) {
    path.push_back(node);
    const std::vector<int> next = waits_for(node);
    if (next.empty()) break;
    node = next.front();
  }
  const bool circle = !waits_for(path.back()).empty();
  if (circle) path.erase(path.begin(), std::ranges::find(path, node));
  std::string message;
  for (const int member : path) message += (message.empty() ? "" : "; ") + describe(member);
  message += circle ? fmt::format("; which waits for {}", path.size() == 1 ? "itself" : "the first again")
                    : "; nothing will signal it";
  std::int64_t instruction = -1;
  int mnemonic = -1;
  for (const int member : path) {
    if (member == static_cast<int>(units_.size())) continue;
    const auto& queue = units_[static_cast<std::size_t>(member)]->queue();
    if (queue.empty() || instruction >= 0) continue;
    instruction = queue.front().instruction;
    mnemonic = queue.front().mnemonic;
  }
  run_.hazards.report_end("deadlock", sim::now(), instruction, mnemonic, message);
}

}  // namespace accord::sim
