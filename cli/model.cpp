#include "cli/model.h"

#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/scratch_file.h"
#include "compiler/frontends/load_model.h"
#include "compiler/frontends/zoo.h"
#include "compiler/network/canonicalise.h"
#include "compiler/network/npy.h"

namespace accord {

namespace {

/// `NAME=FOLDER/PREFIX<i>.npy` for each slot i whose file exists.
std::vector<std::string> numbered_files(const std::filesystem::path& folder, const char* prefix,
                                        const std::vector<TensorSlot>& slots) {
  std::vector<std::string> assignments;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto file = folder / fmt::format("{}{}.npy", prefix, i);
    if (is_there(file)) assignments.push_back(slots[i].name + "=" + file.string());
  }
  return assignments;
}

/// Says where the folder has a file behind the last of the slots: it may be of another model, or another's place.
void warn_of_surplus(Network& network, const std::filesystem::path& folder, const char* prefix, std::size_t slots) {
  const std::string file = fmt::format("{}{}.npy", prefix, slots);
  if (is_there(folder / file)) {
    network.warnings.push_back(fmt::format("{} is not read: the model has {} {}put{}", (folder / file).string(), slots,
                                           prefix, slots == 1 ? "" : "s"));
  }
}

/// The file that is given for an input, by name, by number in the model's folder, or as the only one.
std::filesystem::path file_given(const ModelChoice& choice, const std::string& name, std::size_t number) {
  for (const auto& text : choice.inputs) {
    if (text.starts_with(name + "=")) return text.substr(name.size() + 1);
  }
  if (number == 0 && choice.inputs.size() == 1 && choice.inputs[0].find('=') == std::string::npos) {
    return choice.inputs[0];
  }
  return std::filesystem::path(choice.model) / fmt::format("in{}.npy", number);
}

OnnxOptions options_of(const ModelChoice& choice) {
  OnnxOptions options;
  options.seed = choice.seed;
  options.dimensions = choice.dimensions;
  options.shape_given = [&choice](const std::string& name, std::size_t number) -> std::optional<Shape> {
    const auto file = file_given(choice, name, number);
    if (!is_file(file)) return std::nullopt;
    return load_npy(file).shape;
  };
  return options;
}

/// What is wrong with it is said of the network, not of the file that it takes for a moment.
Network import_zoo(const std::string& name, const ModelChoice& choice) {
  const ScratchFile file;
  write_zoo(name, file.path(), choice.seed);
  try {
    return load_model(file.path(), options_of(choice));
  } catch (const Error& error) {
    const std::string text = error.what(), path = file.path().string();
    throw Error(text.starts_with(path) ? name + text.substr(path.size()) : text);
  }
}

Network import(const std::string& model, const ModelChoice& choice) {
  const auto options = options_of(choice);
  if (is_folder(model)) return load_model(std::filesystem::path(model) / "model.onnx", options);
  if (is_there(model)) return load_model(model, options);
  const auto names = zoo_names();
  if (std::find(names.begin(), names.end(), model) == names.end()) {
    throw Error(fmt::format("{}: neither a file nor a network of the zoo ({})", model, fmt::join(names, ", ")));
  }
  return import_zoo(model, choice);
}

std::string named_model(const ModelChoice& choice) { return choice.model.empty() ? default_model : choice.model; }

}  // namespace

std::string model_name(const ModelChoice& choice) {
  const std::string name = named_model(choice);
  return is_folder(name) ? (std::filesystem::path(name) / "model.onnx").string() : name;
}

LoadedModel load_chosen(const ModelChoice& choice) {
  const std::string name = named_model(choice);
  LoadedModel model{name, import(name, choice), {}, {}, {}};
  model.network = model.imported;
  canonicalise(model.network);
  const auto inputs = slots_of(model.network, model.network.inputs);
  const auto outputs = slots_of(model.network, model.network.outputs);
  if (is_folder(name)) {
    model.inputs = read_tensors(numbered_files(name, "in", inputs), inputs);
    model.expected = read_tensors(numbered_files(name, "out", outputs), outputs);
    warn_of_surplus(model.network, name, "in", inputs.size());
    warn_of_surplus(model.network, name, "out", outputs.size());
  }
  for (auto& [tensor, value] : read_tensors(choice.inputs, inputs)) model.inputs[tensor] = std::move(value);
  for (auto& [tensor, value] : read_tensors(choice.expected, outputs)) model.expected[tensor] = std::move(value);
  fill_seeded(model.inputs, inputs, choice.seed);
  return model;
}

}  // namespace accord
