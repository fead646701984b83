// VTA's RTL: whole networks, compiled here by our mapper and there by its own.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/validation/benches.h"
#include "compiler/frontends/zoo.h"

namespace accord {

namespace {

BenchRun run_vta(const CsvRow& row) {
  const std::string& network = row.text("network");
  const auto known = zoo_names();
  if (std::find(known.begin(), known.end(), network) == known.end())
    throw Error(fmt::format("{}: network is '{}'; the zoo has {}", row.where(), network, fmt::join(known, ", ")));
  const auto cycles = static_cast<double>(row.integer("rtl_cycles"));
  if (cycles == 0) throw Error(row.where() + ": rtl_cycles is 0");
  return {fmt::format("{}, published {}", network, row.text("published_as")),
          {},
          {},
          {{"rtl_cycles", cycles, {}, {"relu.out", "fc.out.stored", "fc.out"}}},
          network};
}

}  // namespace

std::vector<Bench> vta_benches() {
  return {{"vta_rtl",
           "VTA's RTL, compiled networks",
           {"network", "published_as", "rtl_cycles"},
           nullptr,
           run_vta,
           {"vta/networks.csv"},
           "vta/vta_rtl.yaml",
           10,
           10}};
}

}  // namespace accord
