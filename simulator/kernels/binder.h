#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/graph/components.h"
#include "simulator/kernels/operation.h"

namespace accord::sim {

/// A capability prepared for execution.
struct PreparedCapability {
  explicit PreparedCapability(const Capability& capability);
  const Capability* spec;
  PreparedProgram prepared;
  double lanes = 1;  ///< points per own cycle at most
};

/// From an instruction's argument values to an operation. Shapes are shared between equal arguments.
class Binder {
 public:
  /// The architecture must outlive the binder. Throws Error on a capability with more than max_operands operands, on a
  /// walk with more than most_walk_dims dimensions. `keeps_shapes`: else each operation gets one of its own.
  explicit Binder(const Architecture& architecture, bool keeps_shapes = true);

  /// Fills shape, base, scalar of `out`; `unit` is one that the mnemonic can go to. False, with the reason in `error`,
  /// where an extent or address is out of range.
  bool bind(int mnemonic, int unit, std::span<const std::int64_t> arguments, Operation& out, std::string& error);

  const PreparedCapability& capability(int unit, int index) const {
    return *capabilities_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(index)];
  }

 private:
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  /// Which argument means what, for one mnemonic and one of its units.
  struct Plan {
    const Mnemonic* mnemonic = nullptr;
    int unit = -1;
    std::vector<std::pair<int, int>> bases;    ///< argument, operand
    std::vector<std::pair<int, int>> scalars;  ///< argument, operand
    std::vector<int> key;                      ///< the arguments that shape the operation
    Key last_key;
    Key wanted;  ///< scratch
    std::shared_ptr<const OperationShape> last;
    std::unordered_map<Key, std::shared_ptr<const OperationShape>, KeyHash> shapes;
  };

  Plan make_plan(const Mnemonic& mnemonic, int unit) const;
  void plan_run(Plan& plan) const;
  void plan_transfer(Plan& plan) const;
  Plan& plan_of(int mnemonic, int unit);
  bool select_shape(Plan& plan, std::span<const std::int64_t> arguments, std::string& error);
  std::shared_ptr<OperationShape> shape_run(const Plan& plan, std::span<const std::int64_t> key,
                                            std::string& error) const;
  std::shared_ptr<OperationShape> shape_transfer(const Plan& plan, std::span<const std::int64_t> key,
                                                 std::string& error) const;
  bool add_accesses(OperationShape& shape, const PreparedCapability& prepared,
                    const std::vector<std::vector<std::int64_t>>& steps) const;
  void add_costs(OperationShape& shape, const PreparedCapability& prepared, const Unit& unit) const;
  void add_access_energy(OperationShape& shape, const AccessShape& access, std::int64_t bytes) const;
  void add_link_energy(OperationShape& shape) const;
  void add_requests(OperationShape& shape, bool transfer) const;
  /// Least cycles from start to done, found without walking through what the operation touches.
  Cycle least_cycles(const OperationShape& shape, const Unit& unit) const;
  /// Fills ranges, touched and written of `operation`; false where one leaves its memory.
  bool add_ranges(Operation& operation, std::string& error) const;

  const Architecture& architecture_;
  ComponentNumbers components_;
  bool keeps_shapes_;
  std::vector<std::vector<std::unique_ptr<PreparedCapability>>> capabilities_;
  std::vector<std::vector<Plan>> plans_;  ///< by mnemonic, one per unit that it can go to
};

}  // namespace accord::sim
