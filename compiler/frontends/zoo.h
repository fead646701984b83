#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace accord {

/// Networks that `write_zoo` knows: alexnet, bert_base, lstm, mlp, mobilenet_v2, resnet18, resnet34, resnet50,
/// resnet101, vgg16.
std::vector<std::string> zoo_names();

/// Writes a standard network (the structures of torchvision and of BERT-base, batch 1) as ONNX, opset 13, with seeded
/// weights that keep activations in scale. The same name and seed give the same file on every machine.
/// Throws Error for an unknown name or a file that cannot be written.
void write_zoo(const std::string& name, const std::filesystem::path& path, std::uint64_t seed = 0);

}  // namespace accord
