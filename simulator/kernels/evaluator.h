#pragma once

#include <functional>
#include <map>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/kernels/binder.h"
#include "simulator/kernels/byte_store.h"

namespace accord::sim {

/// Computes what operations leave in the memories. Knows no time: the caller decides when.
class Evaluator {
 public:
  using Report = std::function<void(const Operation&, const std::string& message)>;

  /// `stores` one per memory. `unwritten`, where set, hears of reads of bytes that were never written.
  Evaluator(const Architecture& architecture, const Binder& binder, std::vector<ByteStore*> stores, Report unwritten);

  /// All of the operation; a gather's list must have been read.
  void evaluate(const Operation& operation);

  /// Reads a gather's list into Operation::indices, nothing for other operations. False, with the reason in `error`,
  /// where an entry is no row of the table.
  bool read_list(Operation& operation, std::string& error);

  /// Bytes [first, last) of a transfer's walk.
  void move(const Operation& operation, std::int64_t first, std::int64_t last);
  /// A transfer's filled bytes.
  void fill(const Operation& operation);

  /// The bytes that `access` reads were all written (else reports).
  void check_read(const Operation& operation, int memory, std::int64_t address, std::int64_t length) {
    if (unwritten_ && !store(memory).is_written(address, length)) report_unwritten(operation, memory, address, length);
  }

  ByteStore& store(int memory) { return *stores_[static_cast<std::size_t>(memory)]; }

 private:
  void report_unwritten(const Operation& operation, int memory, std::int64_t address, std::int64_t length);

  /// Values that stay in a unit: the points of one access, dense, as loaded last.
  struct Tile {
    std::vector<std::byte> bytes;
    std::vector<std::int64_t> extents;  ///< per iterator; 1 where it does not occur
    std::vector<std::int64_t> step;
  };

  void run(const Operation& operation, const PreparedCapability& capability);
  /// What a result overlaps is read as it was before.
  void keep_sources(const Operation& operation, const PreparedCapability& capability);
  bool in_same_place(const Operation& operation, const PreparedCapability& capability, const AccessShape& source,
                     const AccessShape& target) const;
  void copy_source(const Operation& operation, const PreparedCapability& capability, const AccessShape& source);
  bool place_operand(const Operation& operation, const PreparedCapability& capability, std::size_t operand);
  void hold(const Operation& operation, const PreparedCapability& capability, std::size_t operand);
  void hold_results(const Operation& operation, const PreparedCapability& capability);
  /// What the unit holds takes its place in memory, where the operation goes on with it.
  bool put_tile(const Operation& operation, const PreparedCapability& capability, std::size_t operand);
  bool use_tile(const Operation& operation, const PreparedCapability& capability, std::size_t operand);
  void load_tile(Tile& tile, const std::byte* from, const Operation& operation, const PreparedCapability& capability,
                 std::size_t operand);

  const Architecture& architecture_;
  const Binder& binder_;
  std::vector<ByteStore*> stores_;
  Report unwritten_;
  std::map<std::pair<const PreparedCapability*, std::size_t>, Tile> tiles_;
  std::vector<StridedOperand> operands_;
  std::vector<std::vector<std::byte>> copies_;  ///< of sources that results overlap
  std::vector<std::byte> row_;
  std::vector<std::size_t> tile_order_;  ///< scratch: iterators, innermost first
  std::vector<Stride> tile_dims_;        ///< scratch: what is copied
  std::array<std::uint64_t, max_operands> scalars_{};
};

}  // namespace accord::sim
