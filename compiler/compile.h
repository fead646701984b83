#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"
#include "compiler/mapping/searcher.h"
#include "compiler/network/network.h"

namespace accord {

/// Cycles that a program takes on the machine, its constants zeros.
using Measure = std::function<std::int64_t(const Architecture&, const Program&)>;

struct CompileOptions {
  std::shared_ptr<const Searcher> searcher = make_searcher("default");  ///< of tiles, loop orders and buffers
  std::vector<std::string> dump_after;  ///< pass names whose result is printed to `dump`
  std::ostream* dump = nullptr;
  bool fuse = true;  ///< results may stay on chip between layers
  /// Equal layers are lowered and scheduled once. Without, programs are the same, bit for bit.
  bool reuse_lists = true;
  /// Where set, it decides between mappings of short layers that predictions put close together; deterministic, or
  /// programs are not.
  Measure measure;
  std::function<void(const std::string& pass, int done, int total)> progress;  ///< may be empty
  std::function<void(const std::string& pass, double seconds)> timed;          ///< after each pass; may be empty
};

/// Names of the passes, in order, for --dump-after.
std::vector<std::string> compile_passes();

/// Compiles a numeric network (docs/operators.md, form 3) for the machine. Every intermediate tensor of the program
/// carries the network's name for it. Throws accord::Error where the machine cannot hold or do the work at all.
Program compile(const Architecture& architecture, const Network& numeric, const CompileOptions& options = {});

}  // namespace accord
