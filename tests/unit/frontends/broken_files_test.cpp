#include <algorithm>

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/load_model.h"
#include "compiler/frontends/zoo.h"
#include "compiler/frontends/zoo_builder.h"
#include "models.h"
#include "tests/file_text.h"

using namespace accord;

namespace {

/// A model with many kinds of attributes and constants in few bytes.
std::string small_model() {
  ZooBuilder b("small", 0);
  auto x = b.image_input("x", {1, 2, 6, 6});
  x = b.relu("relu", b.batch_norm("bn", b.conv("conv", x, {4, 3, 1, 1, 2, true})));
  x = b.add("add", x, x);
  x = b.max_pool("pool", x, 2, 2, 0);
  const auto shape = b.node("Shape", "shape", {x.name});
  const auto batch = b.node("Gather", "gather", {shape, b.integers("zero", {0})});
  const auto target = b.node("Concat", "concat", {batch, b.integers("rest", {-1})}, {{"axis", std::int64_t{0}}});
  const auto flat = b.node("Reshape", "reshape", {x.name, target});
  const auto sliced = b.node(
      "Slice", "slice",
      {flat, b.integers("starts", {1}), b.integers("ends", {1000}), b.integers("axes", {1}), b.integers("steps", {3})});
  const auto y = b.node("Softmax", "softmax", {sliced}, {{"axis", std::int64_t{-1}}});
  b.output(y, {1, 12});
  const Scratch file("small.onnx");
  b.write(file.path);
  return file_text(file.path);
}

}  // namespace

TEST_CASE("Is every cut-off model an Error?") {
  const auto model = small_model();
  const Scratch file("cut.onnx");
  write_file(file.path, model);
  CHECK(accepts(file.path));
  int accepted = 0;
  for (std::size_t length = 0; length < model.size(); length += 1) {
    write_file(file.path, model.substr(0, length));
    accepted += accepts(file.path) ? 1 : 0;
  }
  CHECK(accepted == 0);
}

TEST_CASE("Does any changed byte crash the import?") { import_changed(small_model(), 3000, 4); }

TEST_CASE("Does an unknown operator name itself, its node and what is supported?") {
  ZooBuilder b("unknown", 0);
  const auto x = b.image_input("x", {1, 2, 6, 6});
  b.output(b.node("Frobnicate", "node7", {x.name}), {1, 2, 6, 6});
  const Scratch file("unknown.onnx");
  b.write(file.path);
  CHECK_THROWS_WITH_AS(load_model(file.path), doctest::Contains("node 'node7' (Frobnicate)"), Error);
  CHECK_THROWS_WITH_AS(load_model(file.path), doctest::Contains("supported are: Abs, Acos, Acosh, Add"), Error);
}

TEST_CASE("Is a node without outputs an Error?") {
  auto model = small_model();
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(model));
  const Scratch file("mute.onnx");
  for (int n = 0; n < proto.graph().node_size(); ++n) {
    auto changed = proto;
    changed.mutable_graph()->mutable_node(n)->clear_output();
    write_file(file.path, changed.SerializeAsString());
    CHECK_THROWS_WITH_AS(load_model(file.path), doctest::Contains("no outputs"), Error);
  }
}

TEST_CASE("Is a node that uses what a later one makes told from one that uses what nobody makes?") {
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(small_model()));
  const Scratch file("cyclic.onnx");
  auto cyclic = proto;
  auto& first = *cyclic.mutable_graph()->mutable_node(0);
  first.set_input(0, cyclic.graph().node(1).output(0));
  write_file(file.path, cyclic.SerializeAsString());
  CHECK_THROWS_WITH_AS(load_model(file.path), doctest::Contains("before the node that makes it"), Error);
  first.set_input(0, "nothing");
  write_file(file.path, cyclic.SerializeAsString());
  CHECK_THROWS_WITH_AS(load_model(file.path), doctest::Contains("no node, input or initialiser makes it"), Error);
}

TEST_CASE("Are weights that the file lacks seeded, with a warning?") {
  ZooBuilder b("stripped", 0);
  const auto x = b.image_input("x", {1, 2, 6, 6});
  b.input("w", onnx::TensorProto::FLOAT, {4, 2, 3, 3});
  b.output(b.node("Conv", "conv", {x.name, "w"}), {1, 4, 4, 4});
  const Scratch file("stripped.onnx");
  b.write(file.path);
  const auto network = load_model(file.path);
  CHECK(network.inputs.size() == 1);
  REQUIRE(network.warnings.size() == 1);
  CHECK(network.warnings[0].find("'w' got seeded values") != std::string::npos);
}

TEST_CASE("Is an output declared otherwise than the operators make it said?") {
  for (const std::int64_t height : {4, 5}) {
    ZooBuilder b("declared", 0);
    const auto x = b.image_input("x", {1, 2, 6, 6});
    b.input("w", onnx::TensorProto::FLOAT, {4, 2, 3, 3});
    b.output(b.node("Conv", "conv", {x.name, "w"}), {1, 4, height, 4});
    const Scratch file("declared.onnx");
    b.write(file.path);
    const auto warnings = load_model(file.path).warnings;
    const bool said = std::ranges::any_of(warnings, [](const std::string& warning) {
      return warning.find("is declared as [1,4,5,4]; the operators make it [1,4,4,4]") != std::string::npos;
    });
    CHECK(said == (height == 5));
  }
}

TEST_CASE("Is a file that does not exist an Error?") {
  CHECK_THROWS_AS(load_model("no/such/file.onnx"), Error);
  CHECK_THROWS_AS(load_model("."), Error);
}
