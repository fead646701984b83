#include <doctest/doctest.h>

#include <filesystem>

#include "compiler/frontends/onnx.h"
#include "compiler/network/canonicalise.h"
#include "compiler/numerics/compare.h"
#include "compiler/reference/execute.h"
#include "tests/unit/reference/recorded.h"

namespace accord {
namespace {

TEST_CASE("Does the float reference give PyTorch's outputs, before and after canonicalisation?") {
  for (const char* name : {"mlp", "resnet18", "mobilenet_v2", "squeezenet1_1", "encoder", "lstm"}) {
    const auto folder = recorded_models() / name;
    if (!std::filesystem::exists(folder)) {
      MESSAGE("skipped, no recorded model ", name);
      continue;
    }
    CAPTURE(name);
    Network network = import_onnx(folder / "model.onnx");
    const Value recorded = read_recorded(folder / "out0.npy");
    for (const char* form : {"imported", "canonical"}) {
      CAPTURE(form);
      if (form == std::string("canonical")) canonicalise(network);
      const Values outputs = execute(network, recorded_inputs(network, folder));
      CHECK(compare(recorded, first_output(network, outputs)).relative_max_error < 1e-4);
    }
  }
}

}  // namespace
}  // namespace accord
