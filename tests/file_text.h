#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace accord {

/// The file's bytes; none where it cannot be read.
inline std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace accord
