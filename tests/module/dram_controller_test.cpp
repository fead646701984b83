// Are writes posted, and written together, as the controllers of DRAM do?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "dram_parts.h"
#include "simulator/modules/dram_controller.h"

using namespace accord;
using namespace accord::test;
using sim::DramController;

namespace {

Dram ddr4(std::int64_t write_queue = 64) {
  Dram part = without_refresh(*memory_of("ddr4_3200").dram);
  part.write_queue = write_queue;
  return part;
}

std::vector<std::int64_t> served(DramController& controller) {
  std::vector<std::int64_t> at;
  controller.take_served([&](std::int64_t clock) { at.push_back(clock); });
  return at;
}

constexpr std::int64_t far = std::int64_t{1} << 40;  ///< a burst that no test writes

}  // namespace

TEST_CASE("is a write done when it has a place in the queue") {
  DramController controller(ddr4());
  controller.read(far, 0);
  for (std::int64_t burst = 0; burst < 31; ++burst) CHECK(controller.write(burst, 10) == 10);
  CHECK(served(controller).size() == 1);  // the read
}

TEST_CASE("does a write wait for a place when all are taken") {
  const Dram part = ddr4(4);
  REQUIRE(part.write_high() == 4);
  DramController controller(part);
  std::vector<std::int64_t> accepted;
  for (std::int64_t burst = 0; burst < 64; ++burst) accepted.push_back(controller.write(burst, 0));
  controller.drain(0);
  const std::vector<std::int64_t> at = served(controller);
  REQUIRE(at.size() == 64);
  for (std::size_t n = 0; n < 64; ++n) CHECK(accepted[n] == (n < 4 ? 0 : at[n - 4]));
}

TEST_CASE("do reads that come all the time let 16 writes pass at a time") {
  const Dram part = ddr4();
  DramController controller(part);
  std::vector<std::int64_t> reads, writes;
  const std::int64_t stretch = part.groups * part.row / part.burst_bytes();
  std::int64_t read = far + 2 * stretch, written = 0;  // in other banks all the time
  // As many reads under way as cover every batch, a write for each.
  for (int n = 0; n < 4096; ++n) {
    const std::int64_t presented = n < 64 ? 0 : reads[static_cast<std::size_t>(n - 64)];
    reads.push_back(controller.read(read++, presented));
    served(controller);
    controller.write(written++, presented);
    for (const std::int64_t at : served(controller)) writes.push_back(at);
  }
  std::ranges::sort(reads);
  REQUIRE(!writes.empty());
  REQUIRE(writes.size() % 16 == 0);
  for (std::size_t batch = 0; batch + 16 <= writes.size(); batch += 16) {
    const std::int64_t first = writes[batch], last = writes[batch + 15];
    if (last > reads.back()) break;
    const auto between = std::ranges::lower_bound(reads, last) - std::ranges::lower_bound(reads, first);
    CHECK(between == 0);
  }
  // A batch costs its bursts and one turnaround each way.
  const auto all = static_cast<double>(reads.size() + writes.size());
  const auto turns = static_cast<double>(part.rtw + part.cwl + part.burst_cycles + part.wtr_l - 2 * part.ccd_s);
  const double most = all * static_cast<double>(part.ccd_s) + static_cast<double>(writes.size()) / 16 * turns;
  CHECK(static_cast<double>(reads.back()) <= most * 1.1);
}

TEST_CASE("is half a queue of writes written where nothing is read") {
  DramController controller(ddr4());
  for (std::int64_t burst = 0; burst < 32; ++burst) controller.write(burst, burst);
  controller.settle(31);
  CHECK(served(controller).empty());  // the last of them has just come
  controller.settle(32);
  CHECK(served(controller).size() == 16);
  controller.settle(1'000'000);
  CHECK(served(controller).empty());
  controller.drain(0);
  CHECK(served(controller).size() == 16);
}

TEST_CASE("is what waits to be written read from the queue, and written once") {
  DramController controller(ddr4());
  CHECK(controller.write(7, 100) == 100);
  CHECK(controller.read(7, 105) == 105);
  CHECK(controller.write(7, 110) == 110);
  CHECK(served(controller).empty());
  controller.drain(0);
  CHECK(served(controller).size() == 1);
  CHECK(controller.read(7, 2000) == 2000);
  CHECK(served(controller).size() == 1);  // from the row, which is open
}

TEST_CASE("do writes of a row that is open go before older ones of another") {
  const Dram part = ddr4();
  sim::DramChannel places(part);
  const auto bank = [&](std::int64_t burst) {
    const auto place = places.place_of(burst);
    return place.group * part.banks + place.bank;
  };
  std::int64_t other = 1;  // another row of burst 0's bank
  while (bank(other) != bank(0) || places.place_of(other).row == places.place_of(0).row) ++other;
  std::int64_t same = 1;  // its own row
  while (bank(same) != bank(0)) ++same;
  DramController controller(part);
  controller.read(0, 0);
  controller.write(other, 10);
  controller.write(same, 20);
  served(controller);
  controller.drain(0);
  const std::vector<std::int64_t> at = served(controller);
  REQUIRE(at.size() == 2);
  CHECK(at[0] >= 20);
  CHECK(at[1] >= at[0] + part.recovery(true) + part.rp + part.rcd);
}

TEST_CASE("is everything written once, and does the queue never keep more than it has places for") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Dram part = ddr4(static_cast<std::int64_t>(1 + random() % 64));
    DramController controller(part);
    std::int64_t now = 0, reads = 0;
    std::vector<std::int64_t> accepted, written;
    for (int n = 0; n < 5000; ++n) {
      now += static_cast<std::int64_t>(random() % 8 == 0 ? random() % 400 : random() % 4);
      if (random() % 2 == 0) {
        accepted.push_back(controller.write(std::ssize(accepted), now));
        CHECK(accepted.back() >= now);
      } else {
        CHECK(controller.read(far + reads++, now) >= now);
        std::vector<std::int64_t> commands = served(controller);
        REQUIRE(!commands.empty());
        commands.pop_back();  // its own
        written.insert(written.end(), commands.begin(), commands.end());
      }
      const std::vector<std::int64_t> commands = served(controller);
      written.insert(written.end(), commands.begin(), commands.end());
    }
    controller.drain(0);
    const std::vector<std::int64_t> rest = served(controller);
    written.insert(written.end(), rest.begin(), rest.end());
    REQUIRE(written.size() == accepted.size());
    std::ranges::sort(written);
    std::ranges::sort(accepted);
    CHECK(std::ranges::adjacent_find(written) == written.end());
    const auto places = static_cast<std::size_t>(part.write_queue);
    for (std::size_t n = 0; n < accepted.size(); ++n) {
      CHECK(written[n] >= accepted[n]);
      if (n >= places) CHECK(accepted[n] >= written[n - places]);
    }
  }
}
