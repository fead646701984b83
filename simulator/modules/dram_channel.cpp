#include "simulator/modules/dram_channel.h"

#include <algorithm>

namespace accord::sim {

namespace {

using Clock = DramChannel::Clock;

/// Commands that stay where they are: the rest may still get others before them.
template <class Command>
std::size_t fixed(const std::vector<Command>& commands, std::int64_t window) {
  return commands.size() - std::min(commands.size(), static_cast<std::size_t>(window));
}

/// First clock from `at` on at which the command keeps its distance from all others, behind the fixed ones.
template <class Command, class Spacing>
Clock slot(const std::vector<Command>& commands, std::int64_t window, Command command, const Spacing& spacing) {
  const std::size_t firm = fixed(commands, window);
  for (std::size_t i = 0; i < firm; ++i)
    command.at = std::max(command.at, commands[i].at + spacing(commands[i], command));
  for (std::size_t i = firm; i < commands.size(); ++i) {
    const Command& other = commands[i];
    const bool before = other.at <= command.at;
    if (!before && other.at - command.at >= spacing(command, other)) continue;
    const Clock after = other.at + spacing(other, command);
    if (after <= command.at) continue;
    command.at = after;
    i = firm - 1;  // those in between now come before it
  }
  return command.at;
}

template <class Command>
void insert(std::vector<Command>& commands, const Command& command, std::int64_t window, Clock reach) {
  commands.insert(std::ranges::upper_bound(commands, command.at, {}, &Command::at), command);
  const std::size_t firm = fixed(commands, window);
  std::size_t past = 0;
  while (past < firm && commands[past].at + reach <= commands[firm - 1].at) ++past;
  commands.erase(commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(past));
}

}  // namespace

DramChannel::DramChannel(const Dram& part)
    : part_(part),
      banks_(static_cast<std::size_t>(part.groups * part.banks)),
      column_reach_(std::max({part.ccd_l, part.rtw, part.cwl + part.burst_cycles + std::max(part.wtr_s, part.wtr_l)})),
      activate_reach_(std::max(part.rrd_l, part.faw)) {}

DramChannel::Place DramChannel::place_of(std::int64_t burst) const {
  const std::int64_t columns = part_.row / part_.burst_bytes();
  const auto take = [&burst](std::int64_t count) {
    const std::int64_t digit = burst % count;
    burst /= count;
    return digit;
  };
  Place place{};
  switch (part_.interleave) {
    case Dram::Interleave::group:
      place.group = take(part_.groups);
      take(columns);
      place.bank = take(part_.banks);
      break;
    case Dram::Interleave::row:
      take(columns);
      place.group = take(part_.groups);
      place.bank = take(part_.banks);
      break;
    case Dram::Interleave::bank:
      place.group = take(part_.groups);
      place.bank = take(part_.banks);
      take(columns);
      break;
  }
  place.row = burst;
  return place;
}

Clock DramChannel::access(bool write, std::int64_t burst, Clock earliest, Clock opening) {
  const Place place = place_of(burst);
  Bank& bank = banks_[bank_of(place)];
  Clock at = 0;
  if (use_closing_row(bank, place, write, earliest, at)) return at;
  while (true) {
    at = column_slot(place.group, write, std::max(earliest, bank.activated + part_.rcd));
    if (is_open(bank, place.row, at)) {
      ++hits_;
      break;
    }
    const Activate activate{activate_slot(bank, place, write, opening), place.group};
    at = column_slot(place.group, write, std::max(earliest, activate.at + part_.rcd));
    if (epoch(at) == epoch(activate.at)) {
      open(bank, place.row, activate);
      break;
    }
    earliest = opening = epoch(at) * part_.refi;  // the row would be closed again before the bus is free
  }
  bank.closable = std::max(bank.closable, at + part_.recovery(write));
  add({at, place.group, write});
  return at;
}

bool DramChannel::use_closing_row(Bank& bank, const Place& place, bool write, Clock earliest, Clock& at) {
  if (bank.closing_row != place.row || bank.row == place.row) return false;
  at = column_slot(place.group, write, std::max(earliest, bank.closing_activated + part_.rcd));
  if (epoch(at) != epoch(bank.closing_activated) || at + part_.recovery(write) > bank.closing) return false;
  ++hits_;
  add({at, place.group, write});
  return true;
}

bool DramChannel::is_open(std::int64_t burst) const {
  const Place place = place_of(burst);
  return banks_[bank_of(place)].row == place.row;
}

bool DramChannel::is_open(const Bank& bank, std::int64_t row, Clock at) const {
  return bank.row == row && epoch(bank.activated) == epoch(at);
}

Clock DramChannel::activate_slot(const Bank& bank, const Place& place, bool write, Clock earliest) const {
  const Clock need = std::max(part_.ras, part_.rcd + part_.recovery(write));
  const auto spaced = [this](const Activate& a, const Activate& b) { return spacing(a, b); };
  Activate activate{earliest, place.group};
  if (bank.row >= 0) {
    const Clock precharge = std::max(earliest, bank.closable);
    const bool refreshed = epoch(precharge) != epoch(bank.activated);
    activate.at = refreshed ? std::max(earliest, epoch(bank.closable) * part_.refi) : precharge + part_.rp;
  }
  while (true) {
    const Clock from = activate.at;
    activate.at = slot(activates_, part_.window, activate, spaced);
    activate.at = between_refreshes(activate.at, need);
    // At most four in tFAW: the fourth before it, and those after it with their fourth before.
    const auto next = std::ranges::upper_bound(activates_, activate.at, {}, &Activate::at);
    const auto before = next - activates_.begin(), after = activates_.end() - next;
    if (before >= 4) activate.at = std::max(activate.at, (next - 4)->at + part_.faw);
    for (std::ptrdiff_t later = 1; later <= std::min<std::ptrdiff_t>(after, 4) && before + later >= 4; ++later) {
      const Clock first = later == 4 ? activate.at : (next - (4 - later))->at;
      if ((next + later - 1)->at - first < part_.faw) activate.at = std::max(activate.at, next->at + 1);
    }
    if (activate.at == from) return from;
  }
}

Clock DramChannel::column_slot(std::int64_t group, bool write, Clock earliest) const {
  Column column{earliest, group, write};
  const auto spaced = [this](const Column& a, const Column& b) { return spacing(a, b); };
  while (true) {
    const Clock from = column.at;
    column.at = slot(columns_, part_.window, column, spaced);
    column.at = between_refreshes(column.at, part_.recovery(write));
    if (column.at == from) return from;
  }
}

Clock DramChannel::spacing(const Column& first, const Column& second) const {
  const bool same = first.group == second.group;
  const Clock bus = same ? part_.ccd_l : part_.ccd_s;
  if (first.write == second.write) return bus;
  if (second.write) return std::max(bus, part_.rtw);
  return std::max(bus, part_.cwl + part_.burst_cycles + (same ? part_.wtr_l : part_.wtr_s));
}

Clock DramChannel::spacing(const Activate& first, const Activate& second) const {
  return first.group == second.group ? part_.rrd_l : part_.rrd_s;
}

Clock DramChannel::between_refreshes(Clock at, Clock need) const {
  if (part_.refi == 0) return at;
  if (epoch(at) > 0) at = std::max(at, epoch(at) * part_.refi + part_.rp + part_.rfc);
  const Clock due = (epoch(at) + 1) * part_.refi;
  return at + need <= due ? at : due + part_.rp + part_.rfc;
}

void DramChannel::open(Bank& bank, std::int64_t row, const Activate& activate) {
  ++misses_;
  const bool precharged = bank.row >= 0 && epoch(bank.activated) == epoch(activate.at);
  bank.closing_row = precharged ? bank.row : -1;
  bank.closing_activated = bank.activated;
  bank.closing = activate.at - part_.rp;
  bank.row = row;
  bank.activated = activate.at;
  bank.closable = activate.at + part_.ras;
  insert(activates_, activate, part_.window, activate_reach_);
}

void DramChannel::add(const Column& column) { insert(columns_, column, part_.window, column_reach_); }

}  // namespace accord::sim
