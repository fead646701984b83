#include "cli/option_checks.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "cli/files.h"

namespace accord {

std::string whole_number(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool right = code == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
  if (right) return {};
  const bool open = most == std::numeric_limits<std::uint64_t>::max();
  return fmt::format("`{}`: expected a whole number, {}", text,
                     open ? fmt::format("at least {}", least) : fmt::format("{} to {}", least, most));
}

std::string not_negative(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && value >= 0 ? "" : fmt::format("`{}`: expected a number, at least 0", text);
}

std::string not_empty(const std::string& text) { return text.empty() ? "expected a name or a file, not nothing" : ""; }

std::string writable(const std::string& text) {
  const std::filesystem::path path(text);
  if (text.empty() || is_folder(path)) return fmt::format("`{}`: expected a file", text);
  const auto folder = path.parent_path();
  if (folder.empty() || is_folder(folder)) return {};
  return fmt::format("`{}`: there is no folder {}", text, folder.string());
}

std::string folder_to_fill(const std::string& text) {
  if (text.empty()) return "expected a folder, not nothing";
  for (std::filesystem::path part(text); !part.empty(); part = part.parent_path()) {
    if (is_folder(part)) return {};
    if (is_there(part)) return fmt::format("`{}`: {} is no folder", text, part.string());
    if (part == part.parent_path()) break;
  }
  return {};
}

}  // namespace accord
