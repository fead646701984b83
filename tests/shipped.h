#pragma once

#include <map>
#include <string>
#include <utility>

#include "archdsl/check/load.h"
#include "archdsl/source/error.h"

namespace accord {

/// A covenant of this tree; throws Error where it does not load.
inline Architecture covenant(const std::string& path, const std::map<std::string, std::string>& params = {}) {
  auto loaded = load_architecture(std::string(ACCORD_SOURCE_DIR) + "/" + path, params);
  if (!loaded.architecture) throw Error(path + " does not load");
  return std::move(*loaded.architecture);
}

/// A machine of the library.
inline Architecture shipped(const std::string& name, const std::map<std::string, std::string>& params = {}) {
  return covenant("configs/accelerators/" + name + ".yaml", params);
}

/// A machine that a test of whole jobs stands beside.
inline Architecture described(const std::string& name) { return covenant("tests/end_to_end/" + name + ".yaml"); }

}  // namespace accord
