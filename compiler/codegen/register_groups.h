#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "archdsl/isa/isa.h"

namespace accord {

/// Registers that some mnemonic uses or sets together, directly or through others. What an instruction with wanted
/// argument values looks like, and which ones must set registers before it, depends on the registers of its mnemonic's
/// group alone.
class RegisterGroups {
 public:
  explicit RegisterGroups(const Isa& isa);
  std::size_t count() const { return members_.size(); }
  /// -1: the mnemonic has nothing to do with registers.
  int of(int mnemonic) const { return of_mnemonic_[static_cast<std::size_t>(mnemonic)]; }
  std::span<const int> members(int group) const { return members_[static_cast<std::size_t>(group)]; }

 private:
  std::vector<int> of_mnemonic_;
  std::vector<std::vector<int>> members_;
};

}  // namespace accord
