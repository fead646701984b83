#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

enum class BusMode { master, slave, mirrored_master, mirrored_slave };

/// A bus interface of a component.
struct BusPort {
  std::string name;
  BusMode mode{};
  bool instructions = false;  ///< else data
};

/// A channel of a link: masters that reach one memory, and the way on to it.
struct BusChannel {
  std::string name;
  std::vector<std::string> ports;
};

enum class PartKind { memory, link, mover, compute, controller };

/// The covenant's word for the kind.
std::string describe(PartKind kind);

/// A component instance.
struct Part {
  PartKind kind{};
  int index = -1;  ///< into Architecture::memories, links or units
  std::string name;
  std::vector<BusPort> ports;
  std::vector<BusChannel> channels;
};

struct PartConnection {
  int from = -1;  ///< part
  std::string from_port;
  int to = -1;
  std::string to_port;
};

/// A machine as IP-XACT sees it: a unit has one master interface for each memory and way to it; a way over links passes
/// their channels. The controller has one for each unit.
class Netlist {
 public:
  explicit Netlist(const Architecture& architecture);

  const std::vector<Part>& parts() const { return parts_; }  ///< memories, links, units, controller
  const std::vector<PartConnection>& connections() const { return connections_; }

  /// Interface by which a unit reaches the ends of a route, and the memory of an operand.
  const std::string& source_port(int unit, const Route& route) const;
  const std::string& target_port(int unit, const Route& route, int target) const;
  const std::string& operand_port(int unit, int memory) const;

 private:
  using Way = std::pair<int, std::vector<int>>;  ///< memory, and the links to it, nearest to the unit first

  Way source_way(const Route& route) const;
  Way target_way(const Route& route, int target) const;
  Way operand_way(const Unit& unit, int memory) const;
  void add_unit(int unit);
  void reach(int unit, const Way& way);
  void lead(int part, const std::string& port, const Way& way);
  std::string add_port(int part, std::string name, BusMode mode, bool instructions = false);
  int link_part(int link) const { return static_cast<int>(architecture_.memories.size()) + link; }
  int unit_part(int unit) const {
    return static_cast<int>(architecture_.memories.size() + architecture_.links.size()) + unit;
  }

  const Architecture& architecture_;
  std::vector<Part> parts_;
  std::vector<std::map<std::string, int>> names_;  ///< per part: how often a port's name was asked for
  std::vector<PartConnection> connections_;
  std::vector<std::map<Way, std::string>> unit_ports_;
  std::vector<std::map<int, std::string>> first_ports_;  ///< per unit and memory
  std::map<Way, std::size_t> channels_;                  ///< ways on from a link, the link first: its channel
};

}  // namespace accord
