#include "cli/files.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"
#include "archdsl/source/mapped_file.h"

namespace accord {

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string read_text(const std::filesystem::path& file, std::size_t most) {
  const auto refuse = [&](const std::string& why) { return Error(fmt::format("{}: {}", file.string(), why)); };
  if (is_folder(file)) throw refuse("is a folder, not a file");
  if (is_there(file) && !is_file(file)) throw refuse("is no regular file");  // a pipe would keep it waiting
  try {
    const MappedFile mapped(file);
    const auto bytes = mapped.bytes();
    if (bytes.size() > most << 20) throw Error(fmt::format("is larger than {} MiB", most));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const Error& error) {
    throw refuse(error.what());
  }
}

void check_ending(const std::filesystem::path& file, const std::string& format, const std::string& ending) {
  const auto own = file.extension().string();
  if (own.empty() || own == ending) return;
  throw Error(fmt::format("{}: what is written is {}: expected a name that ends in {}, not {}", file.string(), format,
                          ending, own));
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw Error(file.string() + ": cannot be written");
}

void write_json(const std::filesystem::path& file, const nlohmann::json& json) {
  // Names come from models and may hold any bytes.
  if (!file.empty()) write_text(file, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace accord
