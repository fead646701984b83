#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/tensor/value.h"
#include "cli/recordings.h"
#include "cli/report.h"
#include "cli/verifier.h"
#include "compiler/mapping/searcher.h"
#include "compiler/network/network.h"

namespace accord {

struct MainJobOptions {
  /// As it was imported, before any pass: what the fp32 reference evaluates. Null: the canonical network.
  const Network* model = nullptr;
  std::shared_ptr<const Searcher> searcher = make_searcher("default");
  Fidelity fidelity = Fidelity::transaction;
  /// Of a layer's greatest value, on float machines (none: `default_tolerance`); integers are compared bit by bit.
  std::optional<double> tolerance;
  bool verify = true;
  bool fuse = true;              ///< see CompileOptions
  std::filesystem::path binary;  ///< kept here; empty: not kept
  Recordings recordings;
  std::vector<std::string> dump_after;
  std::ostream* dump = nullptr;
  std::function<void(const std::string&)> progress;  ///< may be empty; called from one thread
};

struct MainJobResult {
  RunReport report;
  Values outputs;       ///< of the machine, by the network's names
  Values fp32_outputs;  ///< of the reference; empty without verification
};

/// Quantises (or converts) the canonical network for the machine, compiles, simulates, and compares every layer with
/// the reference. Calibrates on `inputs`. Throws Error for what the machine cannot hold or do.
MainJobResult run_main_job(const Architecture& architecture, const Network& canonical, const Values& inputs,
                           const MainJobOptions& options = {});

}  // namespace accord
