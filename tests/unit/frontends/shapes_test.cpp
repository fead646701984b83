#include <map>

#include <doctest/doctest.h>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include "compiler/frontends/onnx.h"
#include "compiler/frontends/zoo.h"
#include "models.h"

using namespace accord;

namespace {

/// Shapes by ONNX's own inference; tensors it cannot tell are left out.
std::map<std::string, Shape> shapes_by_onnx(onnx::ModelProto model) {
  onnx::shape_inference::InferShapes(model);
  std::map<std::string, Shape> shapes;
  for (const auto& info : model.graph().value_info()) {
    Shape shape;
    for (const auto& dim : info.type().tensor_type().shape().dim()) {
      if (dim.has_dim_value()) shape.push_back(dim.dim_value());
    }
    const bool known = info.type().tensor_type().has_shape();
    if (known && static_cast<int>(shape.size()) == info.type().tensor_type().shape().dim_size()) {
      shapes[info.name()] = shape;
    }
  }
  return shapes;
}

void compare_shapes(const std::filesystem::path& path) {
  CAPTURE(path.string());
  const auto expected = shapes_by_onnx(parsed_whole(path));
  const auto network = import_onnx(path);
  int compared = 0;
  for (const auto& tensor : network.tensors) {
    CAPTURE(tensor.name);
    const auto found = expected.find(tensor.name);
    if (found == expected.end()) continue;
    CHECK(tensor.shape == found->second);
    ++compared;
  }
  CHECK(compared > 0);
  CHECK(network.warnings.empty());
}

}  // namespace

TEST_CASE("Are the shapes of the recorded models those that ONNX infers?") {
  for (const auto& path : shared_models()) compare_shapes(path);
}

TEST_CASE("Does ONNX accept what the zoo writes, with the same shapes?") {
  for (const std::string name : {"resnet50", "mobilenet_v2", "lstm", "mlp"}) {
    const Scratch file(name + ".onnx");
    write_zoo(name, file.path);
    CHECK_NOTHROW(onnx::checker::check_model(parsed_whole(file.path)));
    compare_shapes(file.path);
  }
}
