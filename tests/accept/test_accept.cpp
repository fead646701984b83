// Are right covenants accepted without a word, and do they mean what they say?
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "archdsl/check/load.h"
#include "tests/accept/accepted.h"
#include "tests/file_text.h"
#include "tests/scratch.h"

using namespace accord;
using test::accepted;
using test::load;

namespace {

const std::filesystem::path root = test::repository();

}  // namespace

TEST_CASE("every covenant of the folder and of the library loads") {
  for (const char* const folder : {"tests/accept", "configs/accelerators"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      CAPTURE(entry.path().string());
      CHECK(load(entry.path()).hash.size() == 16);
    }
  }
}

TEST_CASE("defaults are those of the documentation") {
  const Architecture a = accepted("smallest");
  CHECK(a.clock_hz == 1e9);
  REQUIRE(a.memories.size() == 2);
  CHECK(a.memories[0].off_chip);
  CHECK(a.memories[1].capacity == 1024);
  CHECK(a.memories[1].banks == 1);
  CHECK(a.memories[1].latency == 1);
  REQUIRE(a.units.size() == 2);
  CHECK(a.units[0].kind == UnitKind::mover);
  CHECK(a.units[0].queue == 4);
  CHECK(a.units[0].request == 64);
  CHECK(a.units[0].in_flight == 1);
  REQUIRE(a.units[0].routes.size() == 2);
  CHECK(a.units[0].routes[0].links.empty());
  CHECK(transfer_arguments(a.units[0].routes[0]) == std::vector<std::string>{"src.base", "dst.base", "n0", "n1", "n2",
                                                                             "src.stride1", "src.stride2",
                                                                             "dst.stride1", "dst.stride2"});
  const Capability& relu = a.units[1].capabilities.at(0);
  CHECK(relu.interval.evaluate(std::vector<std::int64_t>{3}) == 1);
  CHECK(relu.start.evaluate(std::vector<std::int64_t>{3}) == 0);
  CHECK(relu.dims.at(0).maximum == 16);
  CHECK(run_arguments(relu) == std::vector<std::string>{"i", "y.base", "x.base"});
  CHECK(a.sync.kind == Sync::Kind::in_order);
  CHECK(a.numerics.integer);
  CHECK(a.numerics.requantise == "i8(clamp(round(fp32(x) * scale), lo, hi))");
  CHECK(a.numerics.parameters.size() == 1);
}

TEST_CASE("times and bandwidths follow the clock") {
  const Architecture a = accepted("times_and_bandwidths");
  CHECK(a.memories[0].latency == 80);
  CHECK(test::bytes_per_reference_cycle(a.links.at(0)) == 16);
  CHECK(a.links.at(0).latency == 2);
  CHECK(a.links.at(0).pj_per_byte == 4);
  CHECK(a.units[0].routes[0].links == std::vector<int>{0});
}

TEST_CASE("a bandwidth that is no whole number of Hz is a whole number of cycles where it is one") {
  const Link bus = accepted("bandwidth_of_thirds").links.at(0);
  CHECK(bus.period.cycles(16) == 3);
  CHECK(bus.period.cycles(48'000'000'000) == 9'000'000'000);
}

TEST_CASE("a float storage type makes a float machine") {
  const Architecture a = accepted("float_machine");
  CHECK_FALSE(a.numerics.integer);
  CHECK(a.numerics.accumulator == ElementType::fp32);
  CHECK(a.numerics.weight == ElementType::bf16);
  CHECK(a.numerics.parameters.empty());
}

TEST_CASE("a register file is set, read with displacement and stepped by index") {
  const Architecture a = accepted("register_file");
  CHECK(a.isa.register_count == 8);
  const Mnemonic& set = a.isa.mnemonics.at(0);
  REQUIRE(set.updates.size() == 1);
  CHECK(set.updates[0].base == Binding::Base::indexed_register);
  CHECK(set.updates[0].index_field == 0);
  CHECK(set.updates[0].amount.field == 1);
  const Mnemonic& load = a.isa.mnemonics.at(1);
  CHECK(load.arguments.at(0).base == Binding::Base::indexed_register);
  CHECK(load.arguments.at(0).index_field == 2);
  CHECK(load.arguments.at(0).field == 3);
  CHECK(load.arguments.at(0).bias == 32);
  REQUIRE(load.updates.size() == 1);
  CHECK(load.updates[0].amount.field == 1);
  CHECK(a.isa.mnemonics.at(2).arguments.at(1).reg == 7);
}

TEST_CASE("expressions, units and the branch not taken") {
  const Architecture a = accepted("expressions");
  CHECK(a.memories[1].capacity == 1024);
  CHECK(a.units[1].capabilities.at(0).dims.at(0).maximum == 16);
  CHECK(a.isa.mnemonics.at(3).fields.at(0).bits == 7);
}

TEST_CASE("an override replaces a param and changes the hash") {
  const Architecture a = accepted("override");
  CHECK(a.units[1].capabilities.at(0).dims.at(0).maximum == 32);
  CHECK(a.hash != accepted("smallest").hash);
}

TEST_CASE("comments, order of keys, citation and path do not change the hash; content does") {
  const std::filesystem::path gemmini = root / "configs/accelerators/gemmini16.yaml";
  const Scratch copy("copy.yaml");
  std::ofstream(copy.path) << "# a comment\nsync: {interlock: {entries: 28}}\n"
                           << [&] {
                                std::string moved = file_text(gemmini);
                                const std::string line = "sync: {interlock: {entries: 28}}\n";
                                moved.erase(moved.find(line), line.size());
                                return moved;
                              }();
  const std::string hash = load(gemmini).hash;
  CHECK(load(copy.path).hash == hash);
  CHECK(load_architecture(gemmini, {{"dim", "32"}}).architecture.value().hash != hash);
}

TEST_CASE("do the library's sizes go only where memories are whole words") {
  struct Size {
    const char *name, *param, *most, *uneven;
  };
  for (const Size& size :
       {Size{"gemmini16", "dim", "128", "12"}, Size{"gemmini16x4", "channels", "64", "3"},
        Size{"vta", "block", "64", "27"}, Size{"vta", "axi", "64", "12"}, Size{"onnxim", "n", "256", "9"},
        Size{"onnxim", "channels", "64", "3"}, Size{"bf16npu", "n", "512", "102"},
        Size{"dnnweaver64", "n", "256", "12"}, Size{"dnnweaver64", "port", "256", "25"},
        Size{"tpu_v1", "n", "512", "76"}, Size{"tpu_v1", "acc_rows", "65536", "513"},
        Size{"timeloop", "n", "128", "12"}, Size{"nvdla_small", "atomic_c", "128", "12"},
        Size{"nvdla_small", "axi", "128", "3"}, Size{"nvdla_large", "atomic_c", "128", "12"},
        Size{"nvdla_large", "axi", "128", "12"}, Size{"simba", "side", "16", "1"}}) {
    CAPTURE(size.name);
    CAPTURE(size.param);
    const auto file = root / "configs/accelerators" / (std::string(size.name) + ".yaml");
    CHECK(load_architecture(file, {{size.param, size.most}}).architecture.has_value());
    const LoadResult refused = load_architecture(file, {{size.param, size.uneven}});
    REQUIRE_FALSE(refused.diagnostics.empty());
    CHECK(refused.diagnostics[0].message.find(size.param) != std::string::npos);
  }
}

TEST_CASE("Gemmini at every size stays sound") {
  for (const char* const dim : {"4", "8", "32", "64", "128"}) {
    CAPTURE(dim);
    const LoadResult result = load_architecture(root / "configs/accelerators/gemmini16.yaml", {{"dim", dim}});
    CHECK(result.diagnostics.empty());
    CHECK(result.architecture.has_value());
  }
}

TEST_CASE("do fields reach all of the library's memories at their largest") {
  const std::pair<const char*, const char*> memories[] = {{"gemmini16", "spad_kib"},   {"gemmini16x4", "spad_kib"},
                                                          {"dnnweaver64", "ibuf_kib"}, {"dnnweaver64", "wbuf_kib"},
                                                          {"dnnweaver64", "obuf_kib"}, {"dnnweaver64", "vmem_kib"}};
  for (const auto& [name, param] : memories) {
    CAPTURE(name);
    CAPTURE(param);
    const auto file = root / "configs/accelerators" / (std::string(name) + ".yaml");
    CHECK(load_architecture(file, {{param, "16384"}}).diagnostics.empty());
    CHECK_FALSE(load_architecture(file, {{param, "16385"}}).architecture.has_value());
  }
}
