#include "simulator/modules/read_log.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace accord::sim;

namespace {

constexpr std::int64_t log_bytes = 5 * ReadLog::page;

/// By unit and byte: the last operation that read it.
using LastReads = std::map<std::pair<int, std::int64_t>, std::uint64_t>;

void read(LastReads& reads, const ReadLog::Entry& range) {
  for (std::int64_t i = 0; i < range.length; ++i) reads[{range.unit, range.address + i}] = range.count;
}

LastReads within(const LastReads& reads, std::int64_t address, std::int64_t length) {
  LastReads result;
  for (const auto& [where, count] : reads) {
    if (where.second >= address && where.second < address + length) result[where] = count;
  }
  return result;
}

}  // namespace

TEST_CASE("does a page's log know who read each of its bytes last when something is written there") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    ReadLog log(log_bytes);
    LastReads all, shadow;
    std::vector<std::uint64_t> counts(3, 0);
    const std::int64_t longest = seed % 2 == 0 ? 64 : 2 * ReadLog::page;
    for (int step = 0; step < 200; ++step) {
      const int unit = static_cast<int>(draw(0, 2));
      const std::int64_t address = draw(0, log_bytes - 1), length = std::min(draw(1, longest), log_bytes - address);
      if (draw(0, 20) == 0) {
        log.write(address, length, [&](const ReadLog::Entry& entry) { read(shadow, entry); });
        CHECK(within(shadow, address, length) == within(all, address, length));
        continue;
      }
      if (draw(0, 2) > 0) ++counts[static_cast<std::size_t>(unit)];  // or the same operation goes on
      const ReadLog::Entry range{address, length, unit, counts[static_cast<std::size_t>(unit)]};
      read(all, range);
      log.read(
          range,
          [&](std::int64_t at, std::int64_t size) {
            read(shadow, {at, size, unit, range.count});
          },
          [&](const ReadLog::Entry& entry) { read(shadow, entry); });
    }
    log.write(0, log_bytes, [&](const ReadLog::Entry& entry) { read(shadow, entry); });
    CHECK(shadow == all);
  }
}

TEST_CASE("does a log of no memory hand all reads on") {
  ReadLog log;
  std::int64_t handed = 0;
  log.read(
      {100, 5000, 1, 1}, [&](std::int64_t, std::int64_t size) { handed += size; },
      [](const ReadLog::Entry&) { FAIL_CHECK("opened"); });
  CHECK(handed == 5000);
}
