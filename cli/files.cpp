#include "cli/files.h"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"

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

std::string read_text(const std::filesystem::path& file) {
  if (is_folder(file)) throw Error(file.string() + ": is a folder, not a file");
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw Error(file.string() + ": cannot be read");
  return text;
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
