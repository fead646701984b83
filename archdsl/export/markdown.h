#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace accord {

/// Text as code, safe within a table's cell.
std::string md_code(std::string_view text);

/// Plain text, safe within a table's cell: what Markdown would take for markup is escaped, line ends become blanks.
std::string md_text(std::string_view text);

/// A table of cells that are Markdown already.
std::string md_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

/// "0x0000", wide enough for `greatest`.
std::string hex(std::int64_t value, std::int64_t greatest);

}  // namespace accord
