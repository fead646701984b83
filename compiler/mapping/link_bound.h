#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/mapping/candidates.h"
#include "compiler/mapping/spread.h"

namespace accord {

/// Least cycles that an assignment's bytes need on the wires which can carry them. An operand reaches its capability's
/// memory only over wires from which something leads there; whatever the program, each set of operands shares the wires
/// that serve any of them (Hall's condition, as for the transportation problem).
class LinkBound {
 public:
  LinkBound(const Machine& machine, const Network& network, const Work& work);

  std::int64_t cycles(const Mapping& assignment) const;

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

  bool off_chip(int memory) const;
  Wire& wire(Key key, double width);
  Wire& wire_of_link(int index, int memory, bool inwards);
  void add_route(int unit, const Route& route);
  void add_operands(int unit);
  bool comes_from(const Wire& wire, const Use& use) const;
  bool leaves_by(const Wire& wire, const Use& use) const;
  std::int64_t bytes_of(const Use& use) const;
  void serve(Demand& demand, const Use& use, int unit) const;
  std::vector<Demand> demands(const Mapping& assignment) const;

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  Spread spread_;
  mutable std::vector<std::int64_t> distinct_;  ///< by operand; -1: not asked for yet
  std::map<Key, std::size_t> index_;
  std::vector<Wire> wires_;
};

}  // namespace accord
