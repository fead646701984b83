#include <doctest/doctest.h>

#include <filesystem>

#include "archdsl/check/load.h"
#include "matrix_case.h"

using namespace accord;
using namespace accord::test;

namespace {

const std::filesystem::path accelerators = std::filesystem::path(ACCORD_SOURCE_DIR) / "configs" / "accelerators";

}  // namespace

TEST_CASE("do the shipped accelerators elaborate") {
  for (const auto& file : std::filesystem::directory_iterator(accelerators)) {
    if (file.path().extension() != ".yaml") continue;
    const LoadResult loaded = load_architecture(file.path());
    if (!loaded.architecture) continue;  // tests/accept asks that
    const SimulateResult result = simulate(*loaded.architecture, Assembler(*loaded.architecture).program, {});
    CHECK(result.total_cycles == 0);
    CHECK(result.broken_invariants.empty());
  }
}

TEST_CASE("does a product on gemmini16 give the right values in the time of its covenant") {
  const LoadResult loaded = load_architecture(accelerators / "gemmini16.yaml");
  REQUIRE(loaded.architecture);
  std::int64_t one = 0;
  for (const int pairs : {1, 33}) {
    Product product(*loaded.architecture, 1);
    Assembler& assembler = product.assembler;
    assembler.emit("config_ex", {{"a_step", 16}});
    assembler.emit("config_st", {{"st_stride", 64}});
    assembler.emit("config_ld", {{"ld_stride", 64}});
    assembler.emit("mvin_acc", {{"src", 2048}, {"cols", 64}, {"blocks", 1}, {"rows", 16}});
    assembler.emit("config_ld", {{"ld_stride", 16}});
    assembler.emit("mvin", {{"cols", 16}, {"blocks", 1}, {"rows", 16}});
    assembler.emit("mvin", {{"src", 1024}, {"dst", 256}, {"cols", 16}, {"blocks", 1}, {"rows", 16}});
    assembler.emit("fence");
    for (int i = 0; i < pairs; ++i) {
      assembler.emit("preload", {{"b_addr", 256}, {"b_load", i == 0}});
      assembler.emit("compute", {{"i", 16}, {"j", 16}, {"k", 16}});
    }
    assembler.emit("fence");
    assembler.emit("mvout_raw", {{"dst", 8192}, {"cols", 64}, {"rows", 16}});
    const SimulateResult result = simulate(*loaded.architecture, assembler.program, {});
    for (const Hazard& hazard : result.hazards) FAIL_CHECK(hazard.kind << ": " << hazard.message);
    CHECK(result.broken_invariants == std::vector<std::string>{});
    CHECK(product.matches(result.outputs.at("y"), pairs));
    if (pairs == 1) one = result.total_cycles;
    CHECK(result.total_cycles - one == 16 * (pairs - 1));
  }
}
