#include "archdsl/export/markdown.h"

#include <fmt/format.h>

#include <cstdint>

namespace accord {

std::string md_code(std::string_view text) {
  if (text.empty()) return "";
  const bool ticks = text.find('`') != std::string_view::npos;
  std::string result = ticks ? "`` " : "`";
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + (ticks ? " ``" : "`");
}

std::string md_text(std::string_view text) {
  static constexpr std::string_view special = "\\`*_[]<>|#";
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string md_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string text = fmt::format("| {} |\n|", fmt::join(head, " | "));
  for (std::size_t i = 0; i < head.size(); ++i) text += " --- |";
  text += "\n";
  for (const auto& row : rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text + "\n";
}

std::string hex(std::int64_t value, std::int64_t greatest) {
  const std::size_t digits = fmt::format("{:x}", greatest).size();
  return fmt::format("0x{:0{}x}", value, digits);
}

}  // namespace accord
