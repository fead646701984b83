#pragma once

#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>

#include "archdsl/source/error.h"
#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"
#include "tests/file_text.h"

namespace accord {

/// Models with PyTorch's own inputs and outputs, where they are at hand.
inline std::filesystem::path recorded_models() {
  return std::filesystem::path(ACCORD_SOURCE_DIR).parent_path() / "shared" / "models";
}

/// NumPy files of version 1 holding float32 or int64 in C order: all that the recorded models need.
inline Value read_recorded(const std::filesystem::path& file) {
  const std::string bytes_read = file_text(file);
  if (bytes_read.size() < 10) throw Error("cannot read " + file.string());
  const std::size_t header_size =
      static_cast<unsigned char>(bytes_read[8]) + 256u * static_cast<unsigned char>(bytes_read[9]);
  const std::string header = bytes_read.substr(10, header_size);
  Value value;
  value.type = header.find("<i8") != std::string::npos ? ElementType::i64 : ElementType::fp32;
  std::string shape = header.substr(header.find('(') + 1, header.find(')') - header.find('(') - 1);
  std::stringstream dimensions(shape);
  for (std::string item; std::getline(dimensions, item, ',');) {
    if (item.find_first_of("0123456789") != std::string::npos) value.shape.push_back(std::stoll(item));
  }
  value.data.resize(bytes_read.size() - 10 - header_size);
  std::memcpy(value.data.data(), bytes_read.data() + 10 + header_size, value.data.size());
  return value;
}

/// The recorded inputs of a model, under the names of the network's inputs.
inline Values recorded_inputs(const Network& network, const std::filesystem::path& model) {
  Values inputs;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    inputs[network.tensor(network.inputs[i]).name] = read_recorded(model / ("in" + std::to_string(i) + ".npy"));
  }
  return inputs;
}

inline const Value& first_output(const Network& network, const Values& values) {
  return values.at(network.tensor(network.outputs[0]).name);
}

}  // namespace accord
