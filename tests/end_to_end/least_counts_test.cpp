// Are instructions right that take several of a dim at least, and bounds below what slow controllers take?
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("are rows right of an array that takes several at least, which do not divide the most that it takes") {
  for (const int least : {5, 12}) {
    CAPTURE(least);
    const std::string rows = fmt::format("i: \"{}..${{dim}}\"", least);
    const Architecture architecture = loaded(edited("gemmini16", "i: \"1..${dim}\"", rows));
    for (const std::int64_t m : {1, 13, 20, 24, 40}) {
      CAPTURE(m);
      const RunReport report = run_checked(architecture, product(static_cast<std::uint64_t>(m), m, 32, 32), 17).report;
      CHECK(report.total_cycles < 1000);  // by the array, not by what adds up as it loads
    }
  }
}

TEST_CASE("is a layer bound by no more than it takes where commands issue while the first data come") {
  for (const int interval : {4, 16, 64}) {
    CAPTURE(interval);
    const std::string slow = fmt::format("issue_interval: {}, ", interval);
    const Architecture architecture = loaded(edited("gemmini16", "kind: controller, ", "kind: controller, " + slow));
    for (const std::int64_t m : {1, 16, 33}) run_checked(architecture, product(5, m, 16, 16), 17);
  }
}

TEST_CASE("do convolutions of one channel, in or out, run where a capability takes several at least") {
  const std::string text = edited("gemmini16", "i: \"1..${dim}\"", "i: \"8..${dim}\"");
  const std::string several =
      replaced(replaced(text, "j: \"1..${dim}\"", "j: \"4..${dim}\""), "k: \"1..${dim}\"", "k: \"4..${dim}\"");
  const Architecture architecture = loaded(several);
  for (const auto& [in, out, kernel] : {std::tuple(16, 1, 3), {1, 16, 1}, {1, 1, 3}}) {
    CAPTURE(in);
    CAPTURE(out);
    const Network network = network_of(5, [&, in = in, out = out, kernel = kernel](auto& b) {
      return b.conv(b.input({1, in, 9, 9}), out, kernel);
    });
    for (const auto& layer : run_checked(architecture, network, 5).report.layers) {
      CHECK((layer.macs == 0 || layer.placed_on != "host"));
    }
  }
}
