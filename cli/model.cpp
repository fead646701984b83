#include "cli/model.h"

#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/inputs.h"
#include "cli/scratch_file.h"
#include "compiler/frontends/load_model.h"
#include "compiler/frontends/zoo.h"
#include "compiler/network/canonicalise.h"

namespace accord {

namespace {

/// `NAME=FOLDER/PREFIX<i>.npy` for each slot i whose file exists.
std::vector<std::string> numbered_files(const std::filesystem::path& folder, const char* prefix,
                                        const std::vector<TensorSlot>& slots) {
  std::vector<std::string> assignments;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto file = folder / fmt::format("{}{}.npy", prefix, i);
    if (std::filesystem::exists(file)) assignments.push_back(slots[i].name + "=" + file.string());
  }
  return assignments;
}

Network import(const std::string& model, std::uint64_t seed) {
  if (std::filesystem::is_directory(model)) return load_model(std::filesystem::path(model) / "model.onnx", seed);
  if (std::filesystem::exists(model)) return load_model(model, seed);
  const auto names = zoo_names();
  if (std::find(names.begin(), names.end(), model) == names.end()) {
    throw Error(fmt::format("{}: neither a file nor a network of the zoo", model));
  }
  const ScratchFile file;
  write_zoo(model, file.path(), seed);
  return load_model(file.path(), seed);
}

}  // namespace

LoadedModel load_chosen(const ModelChoice& choice) {
  const std::string name = choice.model.empty() ? default_model : choice.model;
  LoadedModel model{name, import(name, choice.seed), {}, {}};
  canonicalise(model.network);
  const auto inputs = slots_of(model.network, model.network.inputs);
  const auto outputs = slots_of(model.network, model.network.outputs);
  if (std::filesystem::is_directory(name)) {
    model.inputs = read_tensors(numbered_files(name, "in", inputs), inputs);
    model.expected = read_tensors(numbered_files(name, "out", outputs), outputs);
  }
  for (auto& [tensor, value] : read_tensors(choice.inputs, inputs)) model.inputs[tensor] = std::move(value);
  for (auto& [tensor, value] : read_tensors(choice.expected, outputs)) model.expected[tensor] = std::move(value);
  fill_seeded(model.inputs, inputs, choice.seed);
  return model;
}

}  // namespace accord
