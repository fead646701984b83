#pragma once

#include <utility>

#include "archdsl/graph/architecture.h"
#include "archdsl/source/error.h"

namespace accord::sim {

/// Makes what the simulation of a memory takes. An Error (a capacity beyond what a process can address) names the
/// memory.
template <class Make>
void reserve_for(const Memory& memory, Make&& make) {
  try {
    std::forward<Make>(make)();
  } catch (const Error& error) {
    throw Error("memory `" + memory.name + "`: " + error.what() + " for its capacity of " +
                std::to_string(memory.capacity) + " bytes");
  }
}

}  // namespace accord::sim
