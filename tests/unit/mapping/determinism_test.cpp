#include <doctest/doctest.h>

#include "compiler/compile.h"
#include "tests/same_program.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

void check_same_again(const std::string& name, const std::string& searcher = "default") {
  const Architecture architecture = shipped(name);
  const Network network = small_layers(architecture);
  const auto compiled = [&] {
    CompileOptions options;
    options.searcher = make_searcher(searcher, 7);
    return compile(architecture, network, options);
  };
  const Program first = compiled();
  const Program second = compiled();
  test::check_same_program(first, second);
  CHECK(disassemble(architecture, first) == disassemble(architecture, second));
}

}  // namespace

TEST_CASE("is a program for gemmini16 the same when it is compiled again") { check_same_again("gemmini16"); }
TEST_CASE("is a program for dnnweaver64 the same when it is compiled again") { check_same_again("dnnweaver64"); }
TEST_CASE("is a program for bf16npu the same when it is compiled again") { check_same_again("bf16npu"); }
TEST_CASE("is a program of random mappings the same when it is compiled again with their seed") {
  check_same_again("gemmini16", "random");
}
