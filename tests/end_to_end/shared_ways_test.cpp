// Do cores that nothing but a bus to several of them reaches share the work, quicker by their number, and right?
#include <doctest/doctest.h>

#include "tests/bus_cores.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t seed = 47;

Network convolution(std::int64_t channels, std::int64_t height, std::int64_t width, std::int64_t filters,
                    std::int64_t kernel) {
  NetworkBuilder b(seed);
  return b.finish(b.relu(b.conv(b.input({1, channels, height, width}), filters, kernel)));
}

struct Ways {
  std::vector<Bus> a, b, sums = {Bus::own};
};

const std::vector<Ways> all_ways = {{{Bus::all}, {Bus::own}},
                                    {{Bus::own}, {Bus::all}},
                                    {{Bus::row}, {Bus::column}},
                                    {{Bus::buffer_to_all}, {Bus::own}},
                                    {{Bus::buffer}, {Bus::all}},
                                    {{Bus::buffer}, {Bus::buffer}},
                                    {{Bus::row, Bus::column, Bus::all}, {Bus::own}},
                                    {{Bus::own}, {Bus::all}, {Bus::all}}};

RunReport run(const Ways& ways, int side, const Network& network, bool semaphores = false) {
  return run_checked(bus_cores({ways.a, ways.b, side, semaphores, ways.sums}), network, seed).report;
}

}  // namespace

TEST_CASE("are four cores at least 2.9 times as fast as one, at little more traffic") {
  const Network network = convolution(32, 16, 16, 128, 3);
  const auto alone = static_cast<double>(run(all_ways.front(), 1, network).off_chip_bytes);  // without a buffer
  for (std::size_t w = 0; w < all_ways.size(); ++w) {
    CAPTURE(w);
    const auto one = run(all_ways[w], 1, network), four = run(all_ways[w], 2, network);
    CHECK(static_cast<double>(four.total_cycles) < static_cast<double>(one.total_cycles) / 2.9);
    CHECK(static_cast<double>(four.off_chip_bytes) < 1.5 * alone);
  }
}

TEST_CASE("do sixteen cores in rows and columns take less than an eighth") {
  const Network network = convolution(32, 16, 16, 128, 3);
  const Ways ways = {{Bus::row}, {Bus::column}};
  const auto one = run(ways, 1, network), sixteen = run(ways, 4, network);
  CHECK(static_cast<double>(sixteen.total_cycles) < static_cast<double>(one.total_cycles) / 8);
}

TEST_CASE("are products of four parts as quick on nine cores as on four") {
  const Ways ways = {{Bus::own, Bus::row}, {Bus::own, Bus::column}};
  for (const std::int64_t sum : {64, 200, 512}) {
    CAPTURE(sum);
    const Network network = product(seed, 32, sum, 32);
    const auto four = run(ways, 2, network), nine = run(ways, 3, network);
    CHECK(static_cast<double>(nine.total_cycles) < 1.02 * static_cast<double>(four.total_cycles));
    CHECK(nine.off_chip_bytes <= four.off_chip_bytes);
  }
}

TEST_CASE("does a bus carry what all want once") {
  const Network network = product(seed, 64, 128, 128);
  const auto report = run({{Bus::all}, {Bus::own}}, 2, network);
  // Both factors, the results and the cores' initial values, one after the other over the one bus.
  const std::int64_t factors = 64 * 128 + 128 * 128, results = 64 * 128, sums = 4 * results;
  CHECK(report.link_bytes.at("bus") <= factors + results + sums);
}

TEST_CASE("does one core work where both factors reach all") {
  const Network network = convolution(32, 8, 8, 64, 3);
  const Ways both = {{Bus::all}, {Bus::all}};
  CHECK(run(both, 2, network).total_cycles == run(both, 1, network).total_cycles);
}

TEST_CASE("are random sizes right, primes among them") {
  Draw draw(seed);
  for (int i = 0; i < 24; ++i) {
    CAPTURE(i);
    const auto size = [&](std::int64_t most) { return draw.from(1, most); };
    const std::int64_t kernel = draw.from(1, 3);
    const Network network = draw.once_in(3)
                                ? product(seed, size(40), size(90), size(120))
                                : convolution(size(40), kernel + size(14), kernel + size(14), size(110), kernel);
    const auto& ways = all_ways[static_cast<std::size_t>(i) % all_ways.size()];
    run(ways, draw.once_in(2) ? 2 : 3, network, draw.once_in(2));
  }
}

TEST_CASE("do sixteen processors beside memories of their own share products of any size") {
  const Architecture architecture = described("processors_in_memory");
  for (const auto& [rows, sums, columns] : {std::tuple{13, 251, 127}, {16, 251, 127}, {7, 251, 128}, {8, 512, 256}}) {
    CAPTURE(rows);
    CAPTURE(sums);
    const auto report = run_checked(architecture, product(seed, rows, sums, columns), seed).report;
    CHECK(report.total_cycles < 4 * rows * sums * columns / 12);  // four cycles for each product
  }
}
