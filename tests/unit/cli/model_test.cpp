#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "cli/model.h"

using namespace accord;

TEST_CASE("is what is wrong with an operator told with its model?") {
  ModelChoice choice;
  choice.model = "folder/net.onnx";
  const auto refuse = [] { throw OperatorError({"n", "Einsum", {}, {}, {}}, "it has no codelet"); };
  CHECK_THROWS_WITH_AS(of_model(choice, refuse), "folder/net.onnx: node 'n' (Einsum): it has no codelet", Error);
}
