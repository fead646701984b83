#include "compiler/compile.h"

#include <algorithm>
#include <chrono>
#include <ostream>

#include "compiler/compilation.h"

namespace accord {
namespace {

struct Pass {
  const char* name;
  void (*run)(Compilation&);
};

constexpr Pass passes[] = {
    {"group", group_pass},     {"place", place_pass},   {"sums", sums_pass}, {"interleave", interleave_pass},
    {"columns", columns_pass}, {"layout", layout_pass}, {"map", map_pass},   {"allocate", allocate_pass},
    {"fuse", fuse_pass},       {"settle", settle_pass}, {"plan", plan_pass},
};

/// Seconds that `run` takes, handed to whoever wants them.
template <typename Run>
auto time_pass(const CompileOptions& options, const char* name, Run&& run) {
  const auto start = std::chrono::steady_clock::now();
  auto result = run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (options.timed) options.timed(name, wall.count());
  return result;
}

void dump(const Compilation& compilation, const std::string& pass) {
  const auto& wanted = compilation.options.dump_after;
  if (compilation.options.dump == nullptr || std::find(wanted.begin(), wanted.end(), pass) == wanted.end()) return;
  *compilation.options.dump << "# after " << pass << "\n" << describe(compilation);
}

}  // namespace

std::vector<std::string> compile_passes() {
  std::vector<std::string> names;
  for (const auto& pass : passes) names.emplace_back(pass.name);
  return names;
}

Program compile_layers(Compilation& compilation) {
  for (const auto& pass : passes) {
    if (pass.run == group_pass && !compilation.layers.empty()) continue;
    time_pass(compilation.options, pass.name, [&] { return pass.run(compilation), true; });
    dump(compilation, pass.name);
  }
  return time_pass(compilation.options, "generate", [&] { return generate_pass(compilation); });
}

Program compile(const Architecture& architecture, const Network& numeric, const CompileOptions& options) {
  Compilation compilation(architecture, numeric, options);
  return compile_layers(compilation);
}

}  // namespace accord
