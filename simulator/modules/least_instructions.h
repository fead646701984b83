#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/modules/decoded.h"

namespace accord::sim {

/// How many instructions a turn of a loop surely executes, from the loops inside it.
class LeastInstructions {
 public:
  /// False where the bits have no meaning.
  using Decode = std::function<bool(std::int64_t index, Decoded& out)>;

  /// `registers`: what they hold now.
  LeastInstructions(const Architecture& architecture, Decode decode, const std::vector<std::int64_t>& registers)
      : architecture_(architecture), decode_(std::move(decode)), now_(registers.begin(), registers.end()) {}

  /// Of any later turn over [begin, end). 0 where the turn cannot be followed to its end; at most 2^62.
  std::int64_t of_turn(std::int64_t begin, std::int64_t end);

 private:
  using Known = std::optional<std::int64_t>;
  Known value(const Decoded::Term& term) const;
  void update(const Decoded& decoded);
  bool forget(std::int64_t begin, std::int64_t end);
  bool walk(std::int64_t begin, std::int64_t end, int depth, std::int64_t& total);

  const Architecture& architecture_;
  Decode decode_;
  std::vector<Known> now_;
  std::vector<Known> registers_;
};

/// Sum and product of counts, at most 2^62.
std::int64_t plus(std::int64_t a, std::int64_t b);
std::int64_t times(std::int64_t count, std::int64_t each);

}  // namespace accord::sim
