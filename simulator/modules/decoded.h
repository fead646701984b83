#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/isa/isa.h"

namespace accord::sim {

/// An instruction decoded from its bits, with its arguments reduced to register + constant.
struct Decoded {
  struct Term {
    int reg = -1;  ///< -1: none
    std::int64_t constant = 0;
  };
  struct Update {
    int reg = -1;
    Term amount;
  };
  std::int64_t index = -1;
  int mnemonic = -1;
  Meaning meaning{};
  int unit = -1;
  int layer = -1;
  std::vector<Term> arguments;
  std::vector<Update> updates;
};

}  // namespace accord::sim
