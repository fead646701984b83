#pragma once

#include <doctest/doctest.h>

#include "archdsl/isa/program.h"

namespace accord::test {

/// Of two programs for one machine: everything but what the host does.
inline void check_same_program(const Program& a, const Program& b) {
  CHECK(!a.text.empty());
  CHECK(a.text == b.text);
  CHECK(a.images == b.images);
  CHECK(a.symbols == b.symbols);
  CHECK(a.layers == b.layers);
  CHECK(a.map == b.map);
}

}  // namespace accord::test
