#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "archdsl/isa/program.h"
#include "compiler/compilation.h"
#include "compiler/lowering/constants.h"

namespace accord {

/// Where the program's tensors and constants lie off chip: their addresses, images and symbols. `plan` has laid out the
/// tensors between layers; constants come behind them, one after another as layers need them.
class TensorPlaces {
 public:
  /// Throws Error where the machine has no off-chip memory.
  explicit TensorPlaces(Compilation& compilation);

  /// Those that the program begins with: inputs, results of layers, constants that units read where they lie. Throws
  /// MemoryFull.
  void place_tensors();
  /// A home off chip for a result that was to stay on chip.
  void place_late(TensorId tensor);
  /// A constant of the host, as the network has it.
  void place_for_host(TensorId constant);
  void add_symbol(TensorId tensor);
  void split(Symbol& symbol, const Home& home) const;
  /// Whether the tensor has a place of its own, in which all stages see it.
  bool is_visible(TensorId tensor) const { return visible_.count(tensor) != 0; }

  std::vector<OffChip>& off_chip() { return off_chip_; }

  /// A state to return to.
  struct Mark {
    std::vector<OffChip::Mark> off_chip;
    std::size_t symbols = 0;
  };
  Mark mark() const;
  void rollback(const Mark& mark);

  std::vector<Symbol> take_symbols() { return std::move(symbols_); }
  std::vector<Image> take_images();

 private:
  std::int64_t address_of(TensorId tensor);
  void fill_margin(TensorId tensor);
  void place_constant(const Use& use, const Work& work);
  void place_constants(const std::vector<LayerPlan>& layers);
  Symbol::Role role_of(TensorId tensor) const;

  Compilation& compilation_;
  const Architecture& architecture_;
  const Network& network_;
  std::vector<OffChip> off_chip_;
  std::set<TensorId> visible_;
  std::vector<Symbol> symbols_;
  std::map<TensorId, std::size_t> named_;  ///< that have a symbol, with its number
};

}  // namespace accord
