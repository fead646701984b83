#include <fstream>

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/load_model.h"
#include "models.h"

using namespace accord;

namespace {

Network load_text(const std::string& name, const std::string& text) {
  const Scratch file(name);
  std::ofstream(file.path) << text;
  return load_model(file.path);
}

const Shape& shape_of(const Network& network, const std::string& name) {
  for (const auto& tensor : network.tensors) {
    if (tensor.name == name) return tensor.shape;
  }
  FAIL("no tensor " << name);
  return network.tensors.front().shape;
}

}  // namespace

TEST_CASE("Is SCALE-Sim's convolution table read?") {
  // The first rows of SCALE-Sim's own topologies/conv_nets/alexnet.csv.
  const auto network =
      load_text("alexnet.csv",
                "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
                "Strides,\nConv1,224, 224, 11, 11, 3, 96, 4,\nConv2,31, 31, 5, 5, 96, 256, 1,\n\n");
  CHECK(network.operators.size() == 2);
  CHECK(network.inputs.size() == 2);
  CHECK(network.outputs.size() == 2);
  CHECK(shape_of(network, "Conv1.x") == Shape{1, 3, 224, 224});
  CHECK(shape_of(network, "Conv1.w") == Shape{96, 3, 11, 11});
  CHECK(shape_of(network, "Conv1.y") == Shape{1, 96, 54, 54});
  CHECK(shape_of(network, "Conv2.y") == Shape{1, 256, 27, 27});
}

TEST_CASE("Is SCALE-Sim's GEMM table read?") {
  const auto network = load_text("gemm.csv", "Layer, M, N, K,\nfirst, 128, 64, 256,\n");
  CHECK(shape_of(network, "first.x") == Shape{128, 256});
  CHECK(shape_of(network, "first.w") == Shape{64, 256});
  CHECK(shape_of(network, "first.y") == Shape{128, 64});
}

TEST_CASE("Is the list of layers read?") {
  const auto network = load_text("layers.yaml", R"(
layers:
  - {name: a, op: conv, n: 1, c: 192, h: 17, w: 17, k: 192, r: 1, s: 7, stride: 1, ph: 0, pw: 3, groups: 1}
  - {name: b, op: conv, c: 64, h: 112, w: 112, k: 64, r: 3, s: 3, stride: [2, 2], ph: 1, pw: 1, groups: 64}
  - {name: c, op: gemm, m: 1, k: 13, n: 512}
)");
  CHECK(shape_of(network, "a.y") == Shape{1, 192, 17, 17});
  CHECK(shape_of(network, "b.w") == Shape{64, 1, 3, 3});
  CHECK(shape_of(network, "b.y") == Shape{1, 64, 56, 56});
  CHECK(shape_of(network, "c.x") == Shape{1, 13});
  CHECK(shape_of(network, "c.y") == Shape{1, 512});
}

TEST_CASE("Does a mistake in a table say where it is?") {
  const auto rejects = [](const std::string& name, const std::string& text, const char* message) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(load_text(name, text), doctest::Contains(message), Error);
  };
  rejects("a.csv", "Layer, M, N, K\nx, 1, 2\n", ".csv:2: 2 whole numbers after the name");
  rejects("b.csv", "Layer, M, N, K\n", "no layers");
  rejects("m.csv", "x, 4.5, 8, 8\ny, 4, 8, 8\n", ".csv:1: 0 whole numbers after the name, then '4.5'");
  rejects("n.csv", "x, gemm, 4, 8, 8\ny, 4, 8, 8\n", ".csv:1: 0 whole numbers after the name");
  rejects("o.csv", "Layer, K, N, M\ny, 4, 8, 8\n", ".csv:1: the columns of a product are M, N, K");
  rejects("s.csv", "Layer, IH, IW, FH, FW, Num Filter, Channels, Strides\ny, 8, 8, 3, 3, 4, 8, 1\n",
          ".csv:1: a convolution's channels come before its filters");
  rejects("t.csv", "Layer, IFMAP Width, IFMAP Height, FH, FW, Channels, Num Filter, Strides\ny, 8, 9, 3, 3, 4, 8, 1\n",
          ".csv:1: the image's height comes before its width");
  rejects("u.csv", "Layer, H, W, Filter Width, Filter Height, Channels, Num Filter, Strides\ny, 8, 9, 3, 3, 4, 8, 1\n",
          ".csv:1: the filter's height comes before its width");
  rejects("p.csv", "Layer, M, N, K\nName, M, N, K\ny, 4, 8, 8\n", ".csv:2: 0 whole numbers after the name");
  rejects("c.csv", "x, 4, 4, 5, 5, 3, 8, 1\n", "layer 'x': a filter of 5x5 does not fit into 4x4");
  rejects("d.csv", "x, 1, 2, 0\n", "a size of 0");
  rejects("e.csv", "x, 1000000, 1000000, 1000000\n", "too large");
  rejects("f.yaml", "layers:\n  - {name: a, op: gemm, m: 1, k: 2, n: 3, q: 4}\n", "line 2, column 43: unknown key 'q'");
  rejects("g.yaml", "layers:\n  - {name: a, op: gemm, m: 1, k: two, n: 3}\n", "'k' must be a decimal integer");
  rejects("q.yaml", "layers:\n  - {name: a, op: gemm, m: 1, k: 0x10, n: 3}\n", "'k' must be a decimal integer");
  rejects("r.csv", ", 4, 8, 8\n", ".csv:1: a layer without a name");
  rejects("h.yaml", "layers:\n  - {name: a, op: gemm, m: 1, k: 2}\n", "lacks 'n'");
  rejects("i.yaml", "layers: [{name: a, op: gru}]\n", "it is conv or gemm");
  rejects("j.yaml", "layers: [{name: a\n", "line");
  rejects("k.yaml", "- 1\n", "under the key 'layers'");
  rejects("w.yaml", "accord: 1\ncomponents: {}\n", "this is a covenant, which --arch takes");
  rejects("l.yaml", std::string(100000, '['), "");
}

TEST_CASE("Are sizes in a list of layers decimal, as in covenants?") {
  const auto network = load_text("ten.yaml", "layers: [{name: a, op: gemm, m: 010, k: 2, n: 3}]\n");
  CHECK(shape_of(network, "a.x") == Shape{10, 2});
}
