#include "node_suite.h"

#include <algorithm>
#include <fstream>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx.h"
#include "compiler/frontends/onnx_file.h"

namespace accord {

namespace {

Value read_recorded_tensor(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  onnx::TensorProto proto;
  if (!proto.ParseFromIstream(&stream)) throw Error("cannot read " + path.string());
  const auto tensor = read_tensor({}, proto);
  return {tensor->type, tensor->shape, tensor->data->copy()};
}

std::vector<Value> read_all(const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<Value> values;
  for (int i = 0;; ++i) {
    const auto path = folder / (prefix + std::to_string(i) + ".pb");
    if (!std::filesystem::exists(path)) return values;
    values.push_back(read_recorded_tensor(path));
  }
}

}  // namespace

std::vector<std::filesystem::path> node_case_folders() {
  std::vector<std::filesystem::path> folders;
  const std::filesystem::path root = "/usr/share/libonnx-testdata/data/node";
  if (!std::filesystem::exists(root)) return folders;
  for (const auto& entry : std::filesystem::directory_iterator(root)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

NodeCase load_node_case(const std::filesystem::path& folder, bool fix_integers) {
  const auto file = read_onnx_file(folder / "model.onnx");
  const auto values = read_all(folder / "test_data_set_0", "input_");
  NodeCase result;
  result.name = folder.filename().string();
  OnnxOptions options;
  for (std::size_t i = 0; i < values.size() && static_cast<int>(i) < file.model.graph().input_size(); ++i) {
    const auto& name = file.model.graph().input(static_cast<int>(i)).name();
    if (fix_integers && values[i].type != ElementType::fp32) options.known_inputs[name] = values[i];
    result.inputs[name] = values[i];
  }
  result.network = import_onnx(folder / "model.onnx", options);
  result.outputs = read_all(folder / "test_data_set_0", "output_");
  return result;
}

}  // namespace accord
