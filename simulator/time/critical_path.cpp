#include "simulator/time/critical_path.h"

#include <algorithm>

namespace accord::sim {

namespace {

using Node = DependenceGraph::Node;

/// Walks back from the end, always to what was waited for last.
class Walk {
 public:
  Walk(const DependenceGraph& graph, const std::vector<Cycle>& times) : graph_(graph), times_(times) {}

  std::vector<CriticalStretch> go() {
    at_ = graph_.end();
    for (covered_ = times_[at_]; at_ != 0;) step();
    std::ranges::reverse(path_);
    return std::move(path_);
  }

 private:
  void step() {
    const Node& node = graph_.nodes()[at_];
    switch (node.kind) {
      case Node::Kind::join:
      case Node::Kind::placed: return pass_join(node);
      case Node::Kind::slot_end: return pass_service();
      case Node::Kind::reserved:
      case Node::Kind::held: return pass_wait(node);
      case Node::Kind::next_free: return end_unexplained(node);
    }
  }

  void pass_join(const Node& node) {
    const Cycle delay = graph_.delay(node, graph_.rates());
    if (times_[node.a] + delay < times_[at_] || (delay < 0 && times_[node.b] == times_[at_])) {
      at_ = node.b;
      return;
    }
    add(node, times_[node.a], times_[at_], false);
    at_ = node.a;
  }

  // Between its first and its last cycle others may have been served, too.
  void pass_service() {
    const Node& first = graph_.nodes()[at_ - 1];
    const Cycle from = times_[at_ - 1], to = times_[at_];
    const Cycle own = first.kind == Node::Kind::held ? to - from : graph_.served(first, graph_.rates());
    add(first, to - std::min(own, to - from), to, false);
    add(first, from, to - std::min(own, to - from), true);
    --at_;
  }

  void pass_wait(const Node& node) {
    const std::uint32_t before = graph_.nodes()[at_ + 1].a;
    if (times_[node.a] < times_[at_] && before != 0 && times_[before] >= times_[at_]) {
      at_ = before;
      return;
    }
    add(node, times_[node.a], times_[at_], true);
    at_ = node.a;
  }

  // The end of a timeline: of what it served last until then.
  void end_unexplained(const Node& node) {
    if (node.a != 0 && times_[node.a] == times_[at_]) {
      at_ = node.a;
      return;
    }
    add(node, 0, times_[at_], true);
    at_ = 0;
  }

  void add(const Node& node, Cycle from, Cycle to, bool waiting) {
    // Where a delay was taken off, the walk went up again: what is covered already stays.
    to = std::min(to, covered_);
    if (from >= to) return;
    covered_ = from;
    CriticalStretch stretch{from, to, node.cause, node.component, waiting};
    if (const DependenceGraph::Owner* owner = graph_.owner(at_)) {
      stretch.unit = owner->unit;
      stretch.instruction = owner->instruction;
    }
    if (!path_.empty()) {
      CriticalStretch& next = path_.back();
      const bool same = next.cause == stretch.cause && next.component == stretch.component &&
                        next.waiting == stretch.waiting && next.unit == stretch.unit &&
                        next.instruction == stretch.instruction;
      if (same && next.from == to) {
        next.from = from;
        return;
      }
    }
    path_.push_back(stretch);
  }

  const DependenceGraph& graph_;
  const std::vector<Cycle>& times_;
  std::uint32_t at_ = 0;
  Cycle covered_ = 0;  ///< the path is complete from here to the end
  std::vector<CriticalStretch> path_;
};

}  // namespace

std::vector<CriticalStretch> critical_path(const DependenceGraph& graph, const std::vector<Cycle>& times) {
  return Walk(graph, times).go();
}

}  // namespace accord::sim
