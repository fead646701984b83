// Do layers over many elements wait for each other as a whole where single waits would fill the elements' queues?
#include <doctest/doctest.h>

#include "archdsl/isa/program.h"
#include "compiler/compile.h"
#include "compiler/numerics/convert_float.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

/// The small cores with semaphores, so many of them, each unit with a queue of one.
Architecture cores_with_semaphores(const std::string& cores) {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/small_cores.yaml");
  text = replaced(text, "{value: 4, range: [1, 16]", "{value: " + cores + ", range: [1, 64]");
  text = replaced(text, "queue: 4", "queue: 1");
  text = replaced(text, "latency: 100}", "latency: 100, ports: {read: 16, write: 16}}");
  text = replaced(text, "{interlock: {entries: 64}}", "{semaphores: 4096}");
  std::string mnemonics = "  mnemonics:\n";
  int opcode = 8;
  for (const std::string way : {"wait", "signal"}) {
    for (const std::string unit : {"load", "store", "vec"}) {
      mnemonics += "    " + way + "_" + unit + ": {means: {" + way + ": \"core[core]." + unit +
                   "\"}, opcode: " + std::to_string(opcode++) + ", fields: {core: 8, semaphore: 16}}\n";
    }
  }
  return loaded(replaced(text, "  mnemonics:\n", mnemonics));
}

}  // namespace

TEST_CASE("does a fence take the place of waits between layers over many cores") {
  const Network chain = network_of(37, [](NetworkBuilder& b) {
    const TensorId first = b.input({1, 96, 12, 40});
    TensorId now = b.multiply(first, first);
    for (int l = 0; l < 4; ++l) now = l % 2 == 0 ? b.add(now, first) : b.multiply(now, first);
    return now;
  });
  const auto fences = [&](const std::string& cores) {
    const Architecture architecture = cores_with_semaphores(cores);
    run_checked(architecture, chain, 37);
    const std::string text =
        disassemble(architecture, compile(architecture, convert_float(chain, architecture.numerics)));
    int count = 0;
    for (std::size_t at = text.find("\nfence"); at != std::string::npos; at = text.find("\nfence", at + 1)) ++count;
    return count;
  };
  CHECK(fences("2") == 0);
  CHECK(fences("64") > 0);
}
