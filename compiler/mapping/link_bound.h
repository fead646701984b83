#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/mapping/passages.h"

namespace accord {

/// Least cycles that an assignment's bytes need on the wires which can carry them. An operand reaches its capability's
/// memory only over wires from which something leads there; whatever the program, each set of operands shares the wires
/// that serve any of them (Hall's condition, as for the transportation problem).
class LinkBound {
 public:
  /// `finder` must outlive it.
  LinkBound(const Machine& machine, const PassageFinder& finder);

  std::int64_t cycles(const std::vector<Passage>& passages) const;

 private:
  using Key = std::array<int, 4>;  ///< what kind of wire, and which

  /// A wire between off-chip and on-chip memory, in one direction or, on a bus, both.
  struct Wire {
    double width = 0;         ///< bytes per reference cycle
    std::vector<int> into;    ///< on-chip memories at its end
    std::vector<int> out_of;  ///< on-chip memories at its beginning
    std::vector<int> units;   ///< that pass off-chip operands of their own over it
  };

  /// An operand's distinct bytes, and the wires that may carry them.
  struct Demand {
    double bytes = 0;
    std::vector<bool> wires;
  };

  Wire& wire(Key key, double width);
  Wire& wire_of_link(int index, int memory, bool inwards);
  void add_route(int unit, const Route& route);
  void add_operands(int unit);
  static bool serves(const Wire& wire, const Passage& passage);
  std::vector<Demand> demands(const std::vector<Passage>& passages) const;

  const Machine& machine_;
  const PassageFinder& finder_;
  std::map<Key, std::size_t> index_;
  std::vector<Wire> wires_;
};

}  // namespace accord
