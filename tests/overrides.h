#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace accord {

/// Overrides that a covenant under tests/ asks for in its first line: `# set: param=value`.
inline std::map<std::string, std::string> overrides_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::string mark = "# set: ";
  if (!line.starts_with(mark)) return {};
  const std::size_t equals = line.find('=');
  return {{line.substr(mark.size(), equals - mark.size()), line.substr(equals + 1)}};
}

}  // namespace accord
