#include "tests/conformance/node_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/reference/execute.h"

namespace accord {
namespace {

Value read_value(const OnnxFile& file, const std::filesystem::path& path) {
  onnx::TensorProto proto;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || !proto.ParseFromIstream(&stream)) throw Error("no tensor in " + path.string());
  const auto tensor = read_tensor(file, proto);
  if (!tensor) throw Error("no data in " + path.string());
  return {tensor->type, tensor->shape, tensor->data->copy()};
}

void collect_types(const onnx::GraphProto& graph, std::set<std::string>& types) {
  for (const auto& node : graph.node()) {
    types.insert(node.op_type());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_types(attribute.g(), types);
    }
  }
}

double tolerance(double expected) { return 1e-5 + 1e-3 * std::abs(expected); }

/// Whether the two agree within ONNX's own tolerance; a quantised value may be off by one where it lies between two.
bool agrees(double expected, double got, ElementType type) {
  if (expected == got || (std::isnan(expected) && std::isnan(got))) return true;
  return is_float(type) && std::abs(expected - got) <= tolerance(expected);
}

std::string compare_value(const Value& expected, const Value& got) {
  if (expected.shape != got.shape) {
    return fmt::format("shape [{}] instead of [{}]", fmt::join(got.shape, ","), fmt::join(expected.shape, ","));
  }
  for (std::int64_t i = 0; i < element_count(expected.shape); ++i) {
    const double a = load_element(expected.data.data() + i * bytes(expected.type), expected.type);
    const double b = load_element(got.data.data() + i * bytes(got.type), got.type);
    if (!agrees(a, b, expected.type)) return fmt::format("element {} is {} instead of {}", i, b, a);
  }
  return "";
}

}  // namespace

std::filesystem::path node_tests_folder() { return "/usr/share/libonnx-testdata/data/node"; }

NodeTest read_node_test(const std::filesystem::path& folder) {
  NodeTest test{folder.filename().string(), folder / "model.onnx", {}, {}, {}};
  const OnnxFile file = read_onnx_file(test.model);
  collect_types(file.model.graph(), test.operator_types);
  const auto data = folder / "test_data_set_0";
  int index = 0;
  for (const auto& input : file.model.graph().input()) {
    test.inputs[input.name()] = read_value(file, data / fmt::format("input_{}.pb", index++));
  }
  index = 0;
  for (const auto& output : file.model.graph().output()) {
    const auto path = data / fmt::format("output_{}.pb", index++);
    test.outputs.push_back(output.name().empty() ? Value{} : read_value(file, path));
  }
  return test;
}

Network import_node_test(const NodeTest& test) {
  const std::vector<std::function<bool(const Value&)>> constant = {
      [](const Value&) { return false; },
      [](const Value& value) { return value.type == ElementType::i64 && value.shape.size() <= 1; },
      [](const Value& value) { return value.shape.size() <= 1; },
  };
  for (std::size_t attempt = 0;; ++attempt) {
    OnnxOptions options;
    for (const auto& [name, value] : test.inputs) {
      if (constant[attempt](value)) options.known_inputs[name] = value;
    }
    try {
      return import_onnx(test.model, options);
    } catch (const Error&) {
      if (attempt + 1 == constant.size()) throw;
    }
  }
}

std::string difference(const NodeTest& test, const Network& network, const Values& outputs) {
  if (network.outputs.size() != test.outputs.size()) return "another number of outputs";
  for (std::size_t i = 0; i < test.outputs.size(); ++i) {
    const std::string& name = network.tensor(network.outputs[i]).name;
    if (const std::string text = compare_value(test.outputs[i], outputs.at(name)); !text.empty())
      return name + ": " + text;
  }
  return "";
}

}  // namespace accord
