// Is what a model says of its tensors and nodes held against what ONNX allows, and against itself?
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "archdsl/source/error.h"
#include "compiler/frontends/sha1.h"
#include "tests/text_model.h"

using namespace accord;
using namespace accord::test;

namespace {

std::string in_opset(int opset, const std::string& graph) {
  return "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph;
}

void check_refused(const onnx::ModelProto& model, const char* why) {
  CAPTURE(std::string(why));
  CHECK_THROWS_WITH_AS(imported_model(model), doctest::Contains(why), Error);
}

void check_refused(int opset, const std::string& graph, const char* why) {
  CAPTURE(graph);
  check_refused(parsed_model(in_opset(opset, graph)), why);
}

const std::string sum = "g (float[2] x) => (float[2] y) { c = Constant<value = float[2] {1, 2}>() y = Add(x, c) }";

/// Adds a constant of two elements to its input, which lie in a file of the model's folder.
onnx::ModelProto with_constant_in(const Scratch& data) {
  auto model = parsed_model(in_opset(13, "g (float[2] x) => (float[2] y) { y = Add(x, c) }"));
  auto& weight = *model.mutable_graph()->add_initializer();
  weight.set_name("c");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(2);
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weight.add_external_data();
  location.set_key("location");
  location.set_value(std::filesystem::path(data.path).filename().string());
  return model;
}

}  // namespace

TEST_CASE("Are element types that ONNX forbids refused, booleans told from bytes?") {
  check_refused(13, "g (float[2] a, float[2] b) => (bool[2] y) { y = And(a, b) }", "input 0 ('a') is float, not bool");
  check_refused(13, "g (uint8[2] a, uint8[2] b) => (bool[2] y) { y = Or(a, b) }", "input 0 ('a') is uint8, not bool");
  check_refused(13, "g (float[2] c, float[2] a) => (float[2] y) { y = Where(c, a, a) }", "is float, not bool");
  check_refused(13, "g (int64[2] a) => (int64[2] y) { y = Sigmoid(a) }", "input 0 ('a') is int64, not");
  check_refused(14, "g (float[2] a, int8[2] b) => (float[2] y) { y = Add(a, b) }",
                "inputs 0 and 1 are float and int8; they must be of one type");
  check_refused(20, "g (int64[2] a) => (int64[2] y) { y = Gelu(a) }", "no tensor of real numbers");
}

TEST_CASE("Are the types of results known where they are used?") {
  check_refused(13, "g (float[2] a) => (float[2] y) { b = Less(a, a) y = Add(a, b) }", "input 1 ('b') is bool, not");
  check_refused(13, "g (float[2] a) => (bool[2] y) { b = Cast<to = 7>(a) y = Not(b) }", "is int64, not bool");
  CHECK_NOTHROW(imported_model(
      parsed_model(in_opset(13, "g (float[2] a) => (float[2] y) { b = Less(a, a) n = Not(b) y = Where(n, a, a) }"))));
}

TEST_CASE("Are attributes of another type, or given twice, refused?") {
  auto model = parsed_model(in_opset(13, "g (float[2,2] x) => (float[2,2] y) { y = Transpose<perm = [1, 0]>(x) }"));
  auto& node = *model.mutable_graph()->mutable_node(0);
  auto twice = model;
  *twice.mutable_graph()->mutable_node(0)->add_attribute() = node.attribute(0);
  check_refused(twice, "attribute 'perm' is given twice");
  node.mutable_attribute(0)->set_type(onnx::AttributeProto::TENSOR);
  check_refused(model, "attribute 'perm' is TENSOR, not INTS");
}

TEST_CASE("Are declarations that contradict each other refused?") {
  const auto model = parsed_model(in_opset(13, sum));
  auto changed = model;
  *changed.mutable_graph()->add_input() = model.graph().input(0);
  check_refused(changed, "input 'x': two inputs of this name");
  changed = model;
  changed.add_opset_import()->set_version(7);
  check_refused(changed, "opset 13 and opset 7");
  changed = model;
  auto& constant = *changed.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t();
  constant.set_raw_data("12345678");
  check_refused(changed, "its values are given twice");
  changed = parsed_model(in_opset(13, "g (float[2] x, float[5] c) => (float[2] y) { y = Add(x, c) }"));
  auto& weight = *changed.mutable_graph()->add_initializer();
  weight.set_name("c");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(2);
  weight.add_float_data(1);
  weight.add_float_data(2);
  check_refused(changed, "its initialiser has the shape [2], which is not the declared one");
}

TEST_CASE("Is a result's declared type held against the operators'?") {
  auto model = parsed_model(in_opset(13, sum));
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT64);
  const auto warnings = imported_model(model).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "output 'y' is declared as i64; the operators make it fp32");
}

TEST_CASE("Are results between operators held against their declarations, too?") {
  auto model = parsed_model(in_opset(13, "g (float[2,3] x) => (float[2,3] y) { t = Relu (x)  y = Neg (t) }"));
  auto& between = *model.mutable_graph()->add_value_info();
  between = model.graph().output(0);
  between.set_name("t");
  CHECK(imported_model(model).warnings.empty());
  between.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(4);
  const auto warnings = imported_model(model).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "result 't' is declared as [2,4]; the operators make it [2,3]");
}

TEST_CASE("Are values that their type does not have refused?") {
  auto model = parsed_model(in_opset(13, sum));
  auto& constant = *model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t();
  constant.clear_float_data();
  constant.set_data_type(onnx::TensorProto::INT8);
  constant.add_int32_data(1000);
  constant.add_int32_data(-5);
  check_refused(model, "the value 1000 is beyond its type, which has -128 to 127");
}

TEST_CASE("Are unsigned integers beyond 63 bits refused, however they are written?") {
  for (const bool raw : {false, true}) {
    auto model = parsed_model(in_opset(13, sum));
    auto& constant = *model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t();
    constant.clear_float_data();
    constant.set_data_type(onnx::TensorProto::UINT64);
    const std::uint64_t values[] = {1, std::uint64_t{1} << 63};
    if (raw) {
      constant.set_raw_data(values, sizeof values);
    } else {
      for (const std::uint64_t value : values) constant.add_uint64_data(value);
    }
    check_refused(model, "the value 9223372036854775808 is beyond its type");
  }
}

TEST_CASE("Are sizes that nothing has refused?") {
  const std::int64_t least = INT64_MIN;
  auto model =
      parsed_model(in_opset(10, "g (float[2] x) => (float[2] y) { y = Pad<mode = \"reflect\", pads = [1, 1]>(x) }"));
  for (auto& attribute : *model.mutable_graph()->mutable_node(0)->mutable_attribute()) {
    for (int i = 0; i < attribute.ints_size(); ++i) attribute.set_ints(i, least);
  }
  check_refused(model, "pads of -9223372036854775808");
  const std::string turned = "g (float[1,2,3,3] x, float[2,2,2,2] w) => (float[1,2,8,8] y) { y = ConvTranspose<";
  check_refused(13, turned + "output_shape = [100, 100]>(x, w) }", "output_shape has 100 where 4 come out");
  check_refused(13, turned + "auto_pad = \"NOPE\">(x, w) }", "auto_pad is 'NOPE'");
  check_refused(13, turned + "auto_pad = \"SAME_UPPER\", pads = [1, 1, 1, 1]>(x, w) }", "exclude each other");
  check_refused(13, "g (float[1,4,2,2] x) => (float[1,1,4,4] y) { y = DepthToSpace<blocksize = 2, mode = \"zz\">(x) }",
                "mode is 'zz'");
}

TEST_CASE("Are numbers that are none refused, and results that are empty?") {
  auto model =
      parsed_model(in_opset(13, "g (float[1,2,3,3] x) => (float[1,2,3,3] y) { y = LRN<alpha = 0.5, size = 3>(x) }"));
  for (auto& attribute : *model.mutable_graph()->mutable_node(0)->mutable_attribute()) {
    if (attribute.name() == "alpha") attribute.set_f(std::numeric_limits<float>::quiet_NaN());
  }
  check_refused(model, "attribute 'alpha' is no number");
  check_refused(13,
                "g () => (int64[0] y) { a = Constant<value = int64 {0}>() d = Constant<value = int64 {1}>() "
                "y = Range(a, a, d) }",
                "the result 'y' is empty");
}

TEST_CASE("Is a step beyond the extent one that is never taken?") {
  const auto network = imported_model(parsed_model(in_opset(
      13,
      "g (float[4] x) => (float[1] y) { s = Constant<value = int64[1] {1}>() e = Constant<value = int64[1] {4}>() "
      "a = Constant<value = int64[1] {0}>() t = Constant<value = int64[1] {4611686018427387904}>() "
      "y = Slice(x, s, e, a, t) }")));
  CHECK(network.tensor(network.outputs[0]).shape == Shape{1});
  CHECK(attribute(network.operators[0], "steps", std::vector<std::int64_t>{}) == std::vector<std::int64_t>{4});
}

TEST_CASE("Are external data of another checksum than the model's refused?") {
  const Scratch data("weights.bin");
  std::ofstream(data.path, std::ios::binary) << "abcdefgh";
  auto model = with_constant_in(data);
  auto* const checksum = model.mutable_graph()->mutable_initializer(0)->add_external_data();
  checksum->set_key("checksum");
  checksum->set_value("425AF12A0743502B322E93A015BCF868E324D56A");
  imported_model(model);
  checksum->set_value("525af12a0743502b322e93a015bcf868e324d56a");
  check_refused(model, "has the SHA-1 checksum 425af12a0743502b322e93a015bcf868e324d56a");
}

TEST_CASE("Are SHA-1 digests those of the standard's examples?") {
  const auto digest = [](const std::string& text) {
    std::istringstream stream(text);
    return sha1_of(stream);
  };
  CHECK(digest("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(digest("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  CHECK(digest(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  CHECK(digest(std::string(std::size_t{1} << 17, 'a')) == "ce5653590804baa9369f72d483ed9eba72f04d29");
}

TEST_CASE("Does external data stay below the model's folder, whatever a link says?") {
  const Scratch link("outside.bin");
  const auto model = with_constant_in(link);
  std::filesystem::remove(link.path);
  std::filesystem::create_symlink("/proc/version", link.path);
  check_refused(model, "must lie below the model's folder");
}
