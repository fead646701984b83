#include "simulator/kernels/empty_layers.h"

#include <boost/icl/interval_map.hpp>
#include <map>
#include <set>
#include <string>

#include "simulator/kernels/symbols.h"

namespace accord::sim {
namespace {

using Bytes = boost::icl::interval<std::int64_t>;

/// Of one memory: by which layer its bytes were written last.
using Writers = boost::icl::interval_map<std::int64_t, int, boost::icl::partial_enricher>;

Bytes::type bytes_of(const Symbol& symbol) {
  const Footprint touched = footprint_of(symbol).value();
  if (touched.extent == 0) return {};
  const std::int64_t first = symbol.address + touched.offset;
  return Bytes::right_open(first, first + touched.extent);
}

}  // namespace

std::vector<EmptyLayer> find_empty_layers(const Program& program, const std::vector<bool>& has_work) {
  std::map<std::string, const Symbol*> symbols;
  for (const Symbol& symbol : program.symbols) symbols.emplace(symbol.name, &symbol);
  std::map<std::string, Writers> writers;  // by memory
  std::vector<EmptyLayer> result;
  int before = -1;
  for (int layer = 0; layer < static_cast<int>(has_work.size()); ++layer) {
    const bool works = has_work[static_cast<std::size_t>(layer)];
    if (works) before = layer;
    std::set<int> leaders;
    if (before >= 0) leaders.insert(before);
    for (const std::string& name : program.layers[static_cast<std::size_t>(layer)].outputs) {
      const auto symbol = symbols.find(name);
      if (symbol == symbols.end()) continue;
      Writers& last = writers[symbol->second->memory];
      const Bytes::type shown = bytes_of(*symbol->second);
      if (works) {
        last.set({shown, layer});
        continue;
      }
      const auto [first, end] = last.equal_range(shown);
      for (auto writer = first; writer != end; ++writer) leaders.insert(writer->second);
    }
    if (!works) result.push_back({layer, {leaders.begin(), leaders.end()}});
  }
  return result;
}

}  // namespace accord::sim
