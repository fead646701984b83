#include <doctest/doctest.h>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "sample_isa.h"

using namespace accord;
using namespace accord::test;

namespace {

Architecture machine() {
  Isa isa;
  isa.width = 64;
  add_mnemonic(isa, "fence", Meaning::fence, {}, {});
  return around(isa);
}

/// Three instructions, the host, two instructions.
constexpr const char* two_runs = R"(
.layer {"name": "work"}
.layer {"name": "host's", "placed_on": "host"}
.run
fence
fence
fence
.stage {"host": true, "layer": 1}
.run
fence
fence
)";

}  // namespace

TEST_CASE("do the stages of a text follow its instructions?") {
  const auto program = assemble(machine(), two_runs, "p.s");
  REQUIRE(program.stages.size() == 3);
  CHECK(program.stages[0].first == 0);
  CHECK(program.stages[0].count == 3);
  CHECK(program.stages[1].host);
  CHECK(program.stages[2].first == 3);
  CHECK(program.stages[2].count == 2);
}

TEST_CASE("may an instruction be taken out of a disassembled text?") {
  auto text = disassemble(machine(), assemble(machine(), two_runs, "p.s"));
  const auto at = text.find("fence");
  text.erase(at, text.find('\n', at) + 1 - at);
  const auto program = assemble(machine(), text, "p.s");
  REQUIRE(program.stages.size() == 3);
  CHECK(program.stages[0].count == 2);
  CHECK(program.stages[1].host);
  CHECK(program.stages[2].first == 2);
  CHECK(program.stages[2].count == 2);
}

TEST_CASE("is host work refused that takes too long, or counts backwards?") {
  const auto refused = [](const std::string& iterators, const char* why) {
    const std::string stage =
        ".layer {\"name\": \"l\"}\n.stage {\"layer\": 0, \"host\": true, \"iterators\": [" + iterators + "]}\n";
    CHECK_THROWS_WITH_AS(assemble(machine(), stage, "p.s"), doctest::Contains(why), Error);
  };
  refused(R"(["i", 4611686018427387904])", "2^40 steps");
  refused(R"(["i", 16777216], ["j", 16777216])", "2^40 steps");
  refused(R"(["i", -1])", "counts -1");
}
