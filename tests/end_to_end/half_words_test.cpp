// Do the parts of a layer that is divided over cores lie without gaps where words are wider than their lanes?
#include <doctest/doctest.h>

#include <string>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

double cycles(const std::string& cores, const std::string& word) {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/half_words.yaml");
  text = replaced(text, "params: {n: 12, word: 16 B}", "params: {n: " + cores + ", word: " + word + "}");
  const Network network = network_of(43, [](NetworkBuilder& b) {
    return b.relu(b.conv(b.input({1, 32, 28, 28}), 32, 1, 1, 0));
  });
  return static_cast<double>(run_checked(loaded(text), network, 43).report.total_cycles);
}

}  // namespace

TEST_CASE("is a layer on several cores hardly slower with words of twice their lanes") {
  for (const std::string cores : {"4", "12"}) {
    CAPTURE(cores);
    CHECK(cycles(cores, "16 B") < 1.15 * cycles(cores, "8 B"));
  }
}

TEST_CASE("are more cores quicker where lanes fill half of a word") {
  CHECK(cycles("12", "16 B") < 0.75 * cycles("4", "16 B"));
}
