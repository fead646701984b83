#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace accord {

/// A row of a CSV table; what is wrong with it is an Error that names FILE:LINE.
class CsvRow {
 public:
  CsvRow(std::string where, const std::map<std::string, std::size_t, std::less<>>& columns,
         std::vector<std::string> cells)
      : where_(std::move(where)), columns_(&columns), cells_(std::move(cells)) {}

  bool has(std::string_view column) const;  ///< the table has the column, and the row a value in it
  const std::string& text(std::string_view column) const;
  /// A whole number of 0 .. 2^40: sizes, latencies and cycles are.
  std::int64_t integer(std::string_view column) const;
  std::int64_t integer(std::string_view column, std::int64_t otherwise) const;
  /// A finite number.
  double real(std::string_view column) const;
  const std::string& where() const { return where_; }

 private:
  std::string where_;
  const std::map<std::string, std::size_t, std::less<>>* columns_;
  std::vector<std::string> cells_;
};

/// Comma-separated values without quotes; the first line names the columns, lines that begin with # are comments.
class CsvTable {
 public:
  /// Throws Error where the file cannot be read, is empty, or a row has more or fewer cells than there are columns.
  explicit CsvTable(const std::filesystem::path& file);
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  bool has(std::string_view column) const { return columns_.contains(column); }
  const std::vector<CsvRow>& rows() const { return rows_; }

 private:
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<CsvRow> rows_;
};

}  // namespace accord
