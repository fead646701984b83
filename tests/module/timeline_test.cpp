#include "simulator/time/timeline.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace accord::sim;

TEST_CASE("is a slot not free at t-1 and free at t") {
  Timeline timeline;
  CHECK(timeline.reserve(10, 5).end == 15);
  CHECK(timeline.reserve(14, 1).end == 16);
  CHECK(timeline.reserve(16, 1).first == 16);
}

TEST_CASE("do later requests fill the gaps that earlier ones left") {
  Timeline timeline;
  timeline.reserve(10, 5);
  timeline.reserve(20, 5);
  const Timeline::Slot slot = timeline.reserve(8, 9);  // 8, 9, then 15 to 19, then 25, 26
  CHECK(slot.first == 8);
  CHECK(slot.end == 27);
  CHECK(timeline.reserve(0, 1).end == 1);
  CHECK(timeline.reserve(8, 1).first == 27);
}

TEST_CASE("does what comes late find each of very many gaps, and no other cycle") {
  constexpr Cycle gaps = 1500;
  Timeline timeline;
  for (Cycle i = 0; i <= gaps; ++i) timeline.reserve(10 * i, 9);
  for (Cycle i = 0; i < gaps; ++i) CHECK(timeline.reserve(0, 1).first == 10 * i + 9);
}

TEST_CASE("does a timeline agree with a set of cycles") {
  constexpr unsigned seed = 11;
  INFO("seed ", seed);
  std::mt19937 random(seed);
  Timeline timeline;
  std::set<Cycle> busy;
  for (int i = 0; i < 2000; ++i) {
    const Cycle earliest = static_cast<Cycle>(random() % 3000), cycles = static_cast<Cycle>(random() % 6 + 1);
    Cycle free = earliest;
    for (Cycle n = 0; n < cycles;) n = busy.contains(free + n) ? (free += n + 1, 0) : n + 1;
    REQUIRE(timeline.stretch(earliest, cycles) == free);
    Cycle at = earliest, taken = 0, first = -1;
    for (; taken < cycles; ++at) {
      if (!busy.insert(at).second) continue;
      if (first < 0) first = at;
      ++taken;
    }
    const Timeline::Slot slot = timeline.reserve(earliest, cycles);
    REQUIRE(slot.first == first);
    REQUIRE(slot.end == at);
  }
}

TEST_CASE("do the cycles of another clock follow one another, and fill gaps that hold them whole") {
  for (const accord::Period own : {accord::Period{5, 8}, accord::Period{5, 3}, accord::Period{1, 4}}) {
    Timeline timeline(own);
    for (Cycle n = 1; n <= 50; ++n) CHECK(timeline.reserve(3, own.numerator).end == 3 + own.cycles(n));
    CHECK(timeline.reserve(1000, own.numerator).end == 1000 + own.cycles(1));  // a pause ends with a reference cycle
  }
  Timeline timeline(accord::Period{5, 8});
  timeline.reserve(0, 5);
  timeline.reserve(1, 5);                  // leaves 3 of 8 parts: no whole cycle
  CHECK(timeline.reserve(0, 5).end == 3);  // 13 to 18 of 8 parts each
  timeline.reserve(10, 5);
  CHECK(timeline.reserve(3, 7 * 5).end == 8);  // 24 to 59
}

TEST_CASE("are overlapping busy stretches counted once") {
  BusyCycles busy;
  busy.add(10, 20);
  busy.add(0, 5);
  busy.add(15, 30);
  busy.add(4, 11);
  busy.add(40, 50);
  Cycle sum = 0;
  busy.drain(45, [&](Cycle first, Cycle end) { sum += end - first; });
  CHECK(sum == 30 + 5);
  busy.drain(100, [&](Cycle first, Cycle end) { sum += end - first; });
  CHECK(sum == 40);
}
