#include "cli/validation/csv_table.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/files.h"

namespace accord {

namespace {

constexpr std::int64_t greatest = std::int64_t{1} << 40;
constexpr std::size_t most_table = 16;  ///< MiB

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

template <typename Number>
bool read_number(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool CsvRow::has(std::string_view column) const {
  const auto found = columns_->find(column);
  return found != columns_->end() && !cells_[found->second].empty();
}

const std::string& CsvRow::text(std::string_view column) const {
  const auto found = columns_->find(column);
  if (found == columns_->end()) throw Error(fmt::format("{}: there is no column '{}'", where_, column));
  return cells_[found->second];
}

std::int64_t CsvRow::integer(std::string_view column) const {
  std::int64_t value = 0;
  if (!read_number(text(column), value) || value < 0 || value > greatest)
    throw Error(
        fmt::format("{}: {} is '{}'; expected a whole number of 0 to {}", where_, column, text(column), greatest));
  return value;
}

std::int64_t CsvRow::integer(std::string_view column, std::int64_t otherwise) const {
  return has(column) ? integer(column) : otherwise;
}

double CsvRow::real(std::string_view column) const {
  double value = 0;
  if (!read_number(text(column), value) || !std::isfinite(value))
    throw Error(fmt::format("{}: {} is '{}'; expected a number", where_, column, text(column)));
  return value;
}

CsvTable::CsvTable(const std::filesystem::path& file) {
  const std::string all = read_text(file, most_table);
  int number = 0;
  for (std::size_t at = 0; at < all.size(); ++number) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line(all.data() + at, end - at);
    at = end + 1;
    if (line.empty() || line == "\r" || line.front() == '#') continue;
    std::vector<std::string> cells = cells_of(line);
    const std::string where = fmt::format("{}:{}", file.string(), number + 1);
    if (columns_.empty()) {
      for (std::size_t c = 0; c < cells.size(); ++c) columns_.emplace(cells[c], c);
      if (columns_.size() < cells.size()) throw Error(where + ": two columns have the same name");
      continue;
    }
    if (cells.size() != columns_.size())
      throw Error(fmt::format("{}: {} values for {} columns", where, cells.size(), columns_.size()));
    rows_.emplace_back(where, columns_, std::move(cells));
  }
  if (rows_.empty()) throw Error(file.string() + ": no rows");
}

}  // namespace accord
