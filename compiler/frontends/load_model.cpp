#include "compiler/frontends/load_model.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx.h"
#include "compiler/frontends/topology.h"

namespace accord {

namespace {

enum class ModelFormat { onnx, csv, yaml };

std::optional<ModelFormat> format_of_name(const std::filesystem::path& path) {
  auto ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".onnx") return ModelFormat::onnx;
  if (ending == ".csv") return ModelFormat::csv;
  if (ending == ".yaml" || ending == ".yml") return ModelFormat::yaml;
  return std::nullopt;
}

/// ONNX starts with the tag of ir_version (field 1) or of another low field; text starts with text.
ModelFormat format_of_content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string head(256, '\0');
  stream.read(head.data(), std::ssize(head));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  const auto is_text = [](unsigned char c) { return c >= 32 || c == '\n' || c == '\r' || c == '\t'; };
  if (!std::all_of(head.begin(), head.end(), is_text)) return ModelFormat::onnx;
  return head.substr(0, head.find('\n')).find(',') != std::string::npos ? ModelFormat::csv : ModelFormat::yaml;
}

}  // namespace

Network load_model(const std::filesystem::path& path, const OnnxOptions& options) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) throw Error(path.string() + ": no such file");
  const auto named = format_of_name(path);
  const auto format = named ? *named : format_of_content(path);
  if (format != ModelFormat::onnx && !options.dimensions.empty()) {
    throw Error(fmt::format("{}: a table has no dimension '{}'", path.string(), options.dimensions.begin()->first));
  }
  switch (format) {
    case ModelFormat::csv: return import_topology_csv(path, options.seed);
    case ModelFormat::yaml: return import_layer_list(path, options.seed);
    case ModelFormat::onnx: break;
  }
  auto with_weights = options;
  with_weights.seed_weight_inputs = true;
  return import_onnx(path, with_weights);
}

}  // namespace accord
