#include <doctest/doctest.h>

#include <filesystem>

#include "compiler/frontends/onnx.h"
#include "compiler/network/canonicalise.h"
#include "compiler/numerics/compare.h"
#include "compiler/numerics/quantise.h"
#include "compiler/reference/execute.h"
#include "tests/in_float.h"
#include "tests/unit/numerics/machines.h"
#include "tests/unit/reference/recorded.h"

namespace accord {
namespace {

TEST_CASE("Are quantised networks within 28 dB of PyTorch's float outputs?") {
  for (const char* name : {"resnet18", "mobilenet_v2", "squeezenet1_1"}) {
    const auto folder = recorded_models() / name;
    if (!std::filesystem::exists(folder)) {
      MESSAGE("skipped, no recorded model ", name);
      continue;
    }
    CAPTURE(name);
    Network network = import_onnx(folder / "model.onnx");
    canonicalise(network);
    const Values inputs = recorded_inputs(network, folder);
    for (const Numerics& numerics : {float_scale_machine(), mult_shift_machine()}) {
      CAPTURE(numerics.requantise);
      QuantiseReport report;
      const Network integer = quantise(network, numerics, {inputs}, &report);
      const Values outputs = execute(integer, inputs);
      const double decibels =
          compare(read_recorded(folder / "out0.npy"), first_output(integer, outputs)).signal_to_noise_db;
      MESSAGE(name, ": ", decibels, " dB, ", report.fused_additions, " fused additions, ",
              test::in_float(integer).size(), " float operators");
      CHECK(decibels >= 28);
    }
  }
}

}  // namespace
}  // namespace accord
