#include "simulator/modules/read_log.h"

#include <utility>

namespace accord::sim {
namespace {

constexpr std::size_t most_entries = 64;  // which take about as much room as the page's part of a shadow

/// Whether an operation that read `before` goes on to read `next`.
bool goes_on(const ReadLog::Entry& before, const ReadLog::Entry& next) {
  return before.unit == next.unit && before.count == next.count && before.address + before.length == next.address;
}

bool covers(const ReadLog::Entry& later, const ReadLog::Entry& entry) {
  return entry.unit == later.unit && later.address <= entry.address &&
         entry.address + entry.length <= later.address + later.length;
}

}  // namespace

bool ReadLog::note(const Entry& part) {
  std::uint32_t& number = pages_[static_cast<std::size_t>(part.address / page)];
  if (number == 0) {
    logs_.emplace_back();
    number = static_cast<std::uint32_t>(logs_.size());
  }
  std::vector<Entry>& log = logs_[number - 1];
  Entry whole = part;
  if (!log.empty() && goes_on(log.back(), part)) {
    whole = log.back();
    whole.length += part.length;
  }
  // A later read of a unit says all that an earlier one of the same bytes did.
  std::erase_if(log, [&](const Entry& entry) { return covers(whole, entry); });
  if (log.size() == most_entries) return false;
  log.push_back(whole);
  return true;
}

std::vector<ReadLog::Entry> ReadLog::take(std::int64_t address) {
  const std::uint32_t number = std::exchange(pages_[static_cast<std::size_t>(address / page)], opened_page);
  return number == 0 ? std::vector<Entry>() : std::exchange(logs_[number - 1], {});
}

}  // namespace accord::sim
