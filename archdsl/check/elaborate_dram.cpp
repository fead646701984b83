#include "archdsl/check/elaborate_dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace accord {

DramReader::DramReader(Elaboration& elaboration, const Node& node)
    : elaboration_(elaboration), reader_(elaboration.scope, node, "dram", "`dram`") {
  sound_ = reader_.valid();
  const Node* const part = reader_.find("part");
  if (part == nullptr) return;
  const std::string name = reader_.text("part");
  table_ = elaboration.scope.table(name);
  if (table_ != nullptr && table_->broken) sound_ = false;
  if (table_ != nullptr) return;
  elaboration.scope.reporter().report("unknown-name", part->place, fmt::format("no table is named `{}`", name),
                                      "name the part's file in `tables`");
  sound_ = false;
}

int DramReader::channels() const { return static_cast<int>(reader_.integer("channels")); }

void DramReader::wrong(std::string_view key, const std::string& text) const {
  const Node* const given = reader_.find(key);
  const Node* const part = reader_.find("part");
  const Place& place = given ? given->place : part ? part->place : reader_.node().place;
  elaboration_.scope.reporter().report("wrong-value", place, text);
  sound_ = false;
}

std::optional<Quantity> DramReader::figure(std::string_view key) const {
  if (!sound_) return std::nullopt;
  if (const Node* const given = reader_.find(key)) {
    auto value = elaboration_.scope.quantity(*given, key);
    if (!value) sound_ = false;
    return value;
  }
  if (auto value = table_ ? table_->value(key) : std::nullopt) return value;
  elaboration_.scope.reporter().report("missing-key", reader_.node().place,
                                       fmt::format("`dram` has no `{}`{}", key, table_ ? ", nor has its part" : ""));
  sound_ = false;
  return std::nullopt;
}

std::int64_t DramReader::in_range(std::string_view key, const Quantity& value) const {
  const Range range = map_rule("dram").find(key)->range;
  if (value.integral && value.integer >= range.low && value.integer <= range.high) return value.integer;
  wrong(key, fmt::format("{} is a whole number from {} to {}, not {}", key, range.low, range.high, to_string(value)));
  return std::max<std::int64_t>(1, range.low);
}

std::int64_t DramReader::read(const DramFigure& kind) const {
  const auto value = figure(kind.name);
  if (!value) return 1;
  if (kind.unit == DramFigure::Unit::clocks) return clocks(kind.name, *value);
  const Dimension dimension = kind.unit == DramFigure::Unit::bytes ? Dimension::bytes : Dimension::none;
  if (value->dimension == dimension) return in_range(kind.name, *value);
  wrong(kind.name, dimension == Dimension::none ? fmt::format("{} is a plain number", kind.name)
                                                : fmt::format("{} is in {}", kind.name, describe(dimension)));
  return 1;
}

std::int64_t DramReader::clocks(std::string_view key, const Quantity& value) const {
  if (value.dimension == Dimension::time)
    return in_range(key, make_quantity(std::ceil(value.number() * clock_hz_ - 1e-6), Dimension::cycles));
  if (value.dimension == Dimension::none || value.dimension == Dimension::cycles) return in_range(key, value);
  wrong(key, fmt::format("{} is in clocks or a time (such as `20 ns`)", key));
  return 1;
}

double DramReader::read_clock() const {
  const auto value = figure("clock");
  if (!value) return 1e9;
  if (value->dimension == Dimension::frequency && value->number() >= 1e6 && value->number() <= 1e12)
    return value->number();
  wrong("clock", "the clock is a frequency from 1 MHz to 1 THz (such as `1600 MHz`)");
  return 1e9;
}

std::optional<Dram> DramReader::part() const {
  Dram dram;
  dram.clock_hz = clock_hz_ = read_clock();
  for (const DramFigure& kind : dram_figures()) dram.*kind.value = read(kind);
  dram.window = reader_.integer("window");
  dram.write_queue = reader_.integer("write_queue");
  dram.interleave = interleave_of(reader_.word("interleave"));
  if (sound_) check(dram);
  if (!sound_) return std::nullopt;
  dram.period = period_of(elaboration_.architecture.clocks.front().hz, dram.clock_hz);
  dram.burst_period = dram.make_burst_period();
  return dram;
}

void DramReader::check(const Dram& dram) const {
  if (dram.row % (dram.width * dram.burst) != 0) wrong("row", "a row holds whole bursts (`width` times `burst`)");
  if (dram.ccd_s < dram.burst_cycles) wrong("tCCD_S", "tCCD_S is at least `burst_cycles`: bursts share the data bus");
  if (dram.ccd_l < dram.ccd_s) wrong("tCCD_L", "tCCD_L is at least tCCD_S");
  if (dram.rrd_l < dram.rrd_s) wrong("tRRD_L", "tRRD_L is at least tRRD_S");
  // A row must be opened, used and closed between two refreshes.
  const std::int64_t use = std::max(dram.ras, dram.rcd + std::max(dram.recovery(false), dram.recovery(true)));
  if (dram.refi > 0 && dram.refi <= dram.rp + dram.rfc + use)
    wrong("tREFI", "tREFI leaves no time to open a row, use it and close it after a refresh (tRFC)");
}

}  // namespace accord
