// Functions and graphs inside nodes, as text. Each model is held against one that says the same without them.
#include <cmath>
#include <fstream>

#include <doctest/doctest.h>
#include <onnx/defs/parser.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/onnx.h"
#include "compiler/reference/execute.h"
#include "models.h"
#include "tests/text_model.h"

using namespace accord;

namespace {

const std::string head = R"(<ir_version: 8, opset_import: ["" : 16, "own" : 1]>
)";

onnx::ModelProto parsed(const std::string& text) { return test::parsed_model(head + text); }

onnx::GraphProto parsed_graph(const std::string& text) {
  onnx::GraphProto graph;
  const auto status = onnx::OnnxParser::Parse(graph, text.c_str());
  REQUIRE_MESSAGE(status.IsOK(), status.ErrorMessage());
  return graph;
}

void put_graph(onnx::NodeProto& node, const char* name, const std::string& text) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = parsed_graph(text);
}

std::string complaint(const onnx::ModelProto& model) {
  try {
    test::imported_model(model);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Numbers of either sign; 1 where the type has no more.
Values values_for(const Network& network) {
  Values values;
  for (const auto id : network.inputs) {
    const Tensor& tensor = network.tensor(id);
    const auto size = static_cast<std::size_t>(bytes(tensor.type));
    Value& value =
        values[tensor.name] = {tensor.type, tensor.shape, std::vector<std::byte>(count_of(tensor.shape) * size)};
    for (std::size_t i = 0; i < count_of(tensor.shape); ++i) {
      const double number = tensor.type == ElementType::fp32 ? std::sin(static_cast<double>(i) + 0.5) : 1;
      store_element(value.data.data() + i * size, tensor.type, number);
    }
  }
  return values;
}

void check_same(const onnx::ModelProto& model, const std::string& plain) {
  const Network a = test::imported_model(model), b = test::imported_model(parsed(plain));
  const Values inputs = values_for(b);
  const Values of_a = execute(a, inputs), of_b = execute(b, inputs);
  REQUIRE(a.outputs.size() == b.outputs.size());
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    const Value& x = of_a.at(a.tensor(a.outputs[i]).name);
    const Value& y = of_b.at(b.tensor(b.outputs[i]).name);
    CHECK(x.shape == y.shape);
    CHECK(x.data == y.data);
  }
}

/// An If on `condition`, which is there or an input.
onnx::ModelProto with_if(const std::string& condition, const std::string& then, const std::string& otherwise) {
  auto model = parsed("g (float[2,3] x" + condition + " => (float[2,3] y) { c = Relu (x) y = Identity (c) }");
  auto& node = *model.mutable_graph()->mutable_node(1);
  node.set_op_type("If");
  node.set_input(0, "flag");
  put_graph(node, "then_branch", then);
  put_graph(node, "else_branch", otherwise);
  return model;
}

const char* const negated = "t () => (float[2,3] o) { o = Neg (c) }";
const char* const doubled = "e () => (float[2,3] o) { o = Add (c, c) }";

}  // namespace

TEST_CASE("Are calls of the model's functions what the functions say, in each other, with attributes and defaults?") {
  auto model = parsed(R"(
    g (float[2,3] x, float[3,3] w) => (float[2,3] y) {
      a = own.layer <slope: float = 0.25> (x, w)
      b = own.layer (a, w)
      y = own.twice (b)
    }
    <opset_import: ["" : 16, "own" : 1], domain: "own">
    layer <slope> (x, w) => (z) {
      t = MatMul (x, w)
      u = own.twice (t)
      z = LeakyRelu <alpha: float = @slope> (u)
    }
    <opset_import: ["" : 16], domain: "own">
    twice (x) => (t) { t = Add (x, x) }
  )");
  REQUIRE(model.functions_size() == 2);
  check_same(model, R"(
    g (float[2,3] x, float[3,3] w) => (float[2,3] y) {
      p = MatMul (x, w)  q = Add (p, p)  a = LeakyRelu <alpha: float = 0.25> (q)
      r = MatMul (a, w)  s = Add (r, r)  b = LeakyRelu (s)
      y = Add (b, b)
    })");
}

TEST_CASE("Do a function's results that are its inputs, or one value twice, arrive?") {
  check_same(parsed(R"(
    g (float[4] x) => (float[4] y, float[4] z, float[4] v) { y, z, v = own.f (x) }
    <opset_import: ["" : 16], domain: "own"> f (x) => (r, x, r) { r = Neg (x) }
  )"),
             "g (float[4] x) => (float[4] y, float[4] z, float[4] v) { y = Neg (x) z = Identity (x) v = Neg (x) }");
}

TEST_CASE("Is a function that calls itself refused?") {
  const auto model = parsed(R"(
    g (float[4] x) => (float[4] y) { y = own.f (x) }
    <opset_import: ["" : 16, "own" : 1], domain: "own"> f (x) => (r) { t = Neg (x) r = own.f (t) }
  )");
  CHECK(complaint(model).find("function 'f' calls itself") != std::string::npos);
}

TEST_CASE("Do functions that call each other twice each end with a complaint, not with all memory?") {
  std::string text = "g (float[4] x) => (float[4] y) { y = own.f39 (x) }\n";
  for (int i = 0; i < 40; ++i) {
    const auto inner = i == 0 ? std::string("Neg") : "own.f" + std::to_string(i - 1);
    text += "<opset_import: [\"\" : 16, \"own\" : 1], domain: \"own\"> f" + std::to_string(i) +
            " (x) => (r) { t = " + inner + " (x) r = " + inner + " (t) }\n";
  }
  CHECK(complaint(parsed(text)).find("nodes") != std::string::npos);
}

TEST_CASE("Is the branch taken whose condition is known?") {
  auto model = with_if(")", negated, doubled);
  for (const int flag : {0, 1}) {
    auto& known = *model.mutable_graph()->add_initializer();
    known.set_name("flag");
    known.set_data_type(onnx::TensorProto::BOOL);
    known.add_int32_data(flag);
    check_same(model, flag == 1 ? "g (float[2,3] x) => (float[2,3] y) { c = Relu (x) y = Neg (c) }"
                                : "g (float[2,3] x) => (float[2,3] y) { c = Relu (x) y = Add (c, c) }");
    CHECK(test::imported_model(model).warnings.empty());
    model.mutable_graph()->clear_initializer();
  }
}

TEST_CASE("Are both branches computed where the inputs say which is taken?") {
  const auto model = with_if(", bool[1] flag)", negated, doubled);
  CHECK(test::imported_model(model).warnings.size() == 1);
  check_same(model, R"(g (float[2,3] x, bool[1] flag) => (float[2,3] y) {
    c = Relu (x) a = Neg (c) b = Add (c, c) y = Where (flag, a, b) })");
  const auto unequal =
      with_if(", bool[1] flag)", negated, "e () => (float[1,3] o) { o = ReduceMax <axes: ints = [0]> (c) }");
  CHECK(complaint(unequal).find("different shapes") != std::string::npos);
}

TEST_CASE("Are a Loop's steps what they are one after another, its results' rows included?") {
  auto model = parsed("g (float[3] x) => (float[3] y, float[2,3] rows) { y, rows = Loop (count, , x) }");
  auto& count = *model.mutable_graph()->add_initializer();
  count.set_name("count");
  count.set_data_type(onnx::TensorProto::INT64);
  count.add_int64_data(2);
  put_graph(*model.mutable_graph()->mutable_node(0), "body", R"(
    b (int64 i, bool going, float[3] s) => (bool on, float[3] next, float[3] row) {
      on = Identity (going)  f = Cast <to: int = 1> (i)  row = Add (s, f)  next = Mul (row, row) })");
  check_same(model, R"(g (float[3] x) => (float[3] y, float[2,3] rows) {
    zero = Constant <value = float {0}> ()  one = Constant <value = float {1}> ()
    a = Add (x, zero)  s = Mul (a, a)  b = Add (s, one)  y = Mul (b, b)
    axes = Constant <value = int64[1] {0}> ()
    p = Unsqueeze (a, axes)  q = Unsqueeze (b, axes)  rows = Concat <axis: int = 0> (p, q) })");
}

TEST_CASE("Does a Loop that only counts go on whatever its body makes of the condition?") {
  auto model = parsed("g (float[3] x) => (float[3] y) { y = Loop (count, , x) }");
  auto& count = *model.mutable_graph()->add_initializer();
  count.set_name("count");
  count.set_data_type(onnx::TensorProto::INT64);
  count.add_int64_data(3);
  put_graph(*model.mutable_graph()->mutable_node(0), "body", R"(
    b (int64 i, bool going, float[3] s) => (bool on, float[3] next) {
      limit = Constant <value = int64 {0}> ()  on = Less (i, limit)  next = Add (s, s) })");
  check_same(model, "g (float[3] x) => (float[3] y) { a = Add (x, x)  b = Add (a, a)  y = Add (b, b) }");
}

TEST_CASE("Does any changed byte of functions and inner graphs crash the import?") {
  auto model = parsed(R"(
    g (float[3] x, bool[1] flag) => (float[3] z) { y = Loop (count, , x) z = If (flag) }
    <opset_import: ["" : 16], domain: "own"> f <slope> (x) => (r) { r = LeakyRelu <alpha: float = @slope> (x) }
  )");
  auto& count = *model.mutable_graph()->add_initializer();
  count.set_name("count");
  count.set_data_type(onnx::TensorProto::INT64);
  count.add_int64_data(2);
  put_graph(*model.mutable_graph()->mutable_node(0), "body",
            "b (int64 i, bool going, float[3] s) => (bool going, float[3] t) { t = own.f <slope: float = 0.5> (s) }");
  put_graph(*model.mutable_graph()->mutable_node(1), "then_branch", "t () => (float[3] o) { o = Neg (y) }");
  put_graph(*model.mutable_graph()->mutable_node(1), "else_branch", "e () => (float[3] o) { o = own.f (y) }");
  CHECK(test::imported_model(model).operators.size() >= 5);
  import_changed(model.SerializeAsString(), 2000, 3);
}

TEST_CASE("Does a Loop without end stop with a complaint?") {
  auto model = parsed("g (float[3] x) => (float[3] y) { y = Loop (x, , x) }");
  model.mutable_graph()->mutable_node(0)->set_input(0, "");
  put_graph(*model.mutable_graph()->mutable_node(0), "body",
            "b (int64 i, bool going, float[3] s) => (bool going, float[3] t) { t = Neg (s) }");
  CHECK(complaint(model).find("more than") != std::string::npos);
}
