#pragma once

#include <optional>
#include <string_view>

#include "archdsl/check/elaborate.h"

namespace accord {

/// Reads a memory's `dram`: each figure is what stands there, else what the table `part` says.
class DramReader {
 public:
  DramReader(Elaboration& elaboration, const Node& node);

  int channels() const;
  /// Nothing where a figure is missing or wrong, which is reported.
  std::optional<Dram> part() const;

 private:
  std::optional<Quantity> figure(std::string_view key) const;
  std::int64_t read(const DramFigure& kind) const;
  std::int64_t clocks(std::string_view key, const Quantity& value) const;
  double read_clock() const;
  void check(const Dram& dram) const;
  std::int64_t in_range(std::string_view key, const Quantity& value) const;
  void wrong(std::string_view key, const std::string& text) const;

  Elaboration& elaboration_;
  MapReader reader_;
  const FigureTable* table_ = nullptr;
  mutable double clock_hz_ = 0;
  mutable bool sound_ = true;
};

}  // namespace accord
