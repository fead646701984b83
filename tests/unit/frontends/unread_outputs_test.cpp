// Are an operator's other outputs right where nobody reads some of them?
#include <doctest/doctest.h>

#include <string>

#include "compiler/reference/execute.h"
#include "models.h"
#include "tests/text_model.h"

using namespace accord;

namespace {

Network model_of(const std::string& results, const std::string& node) {
  return test::imported_model(test::parsed_model("<ir_version: 8, opset_import: [\"\" : 13]>\n g (float[4,6] x) => (" +
                                                 results + ") <int64[3] sizes = {1, 3, 2}> {" + node + "}"));
}

/// Whether each of these results is what it is where all are read.
void check_part(const std::string& results, const std::string& all, const std::string& node) {
  CAPTURE(results);
  const Network part = model_of(results, node), whole = model_of(all, node);
  const Values expected = execute(whole, given_inputs(whole));
  for (const auto& [name, value] : execute(part, given_inputs(part))) {
    CAPTURE(name);
    CHECK(value.data == expected.at(name).data);
  }
}

}  // namespace

TEST_CASE("are the parts of a Split that are read right, whichever nobody reads") {
  for (const char* read : {"a", "b", "c", "a, b", "b, c", "a, c"})
    check_part(read, "a, b, c", "a, b, c = Split <axis = 1> (x, sizes)");
}

TEST_CASE("is what DynamicQuantizeLinear gives right, whichever of its results nobody reads") {
  for (const char* read : {"y", "s", "z", "y, s", "y, z", "s, z"})
    check_part(read, "y, s, z", "y, s, z = DynamicQuantizeLinear(x)");
}
