#pragma once

#include <map>
#include <string>
#include <utility>

#include "archdsl/check/load.h"
#include "archdsl/source/error.h"

namespace accord {

/// A machine of the library; throws Error where it does not load.
inline Architecture shipped(const std::string& name, const std::map<std::string, std::string>& params = {}) {
  auto loaded = load_architecture(std::string(ACCORD_SOURCE_DIR) + "/configs/accelerators/" + name + ".yaml", params);
  if (!loaded.architecture) throw Error(name + " does not load");
  return std::move(*loaded.architecture);
}

}  // namespace accord
