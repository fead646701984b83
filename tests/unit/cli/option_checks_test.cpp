#include <doctest/doctest.h>

#include <limits>

#include "cli/files.h"
#include "cli/option_checks.h"
#include "tests/scratch.h"

using namespace accord;

TEST_CASE("is a number beyond the option's type refused, and not taken as the greatest?") {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(whole_number("9223372036854775807", 1, most).empty());
  CHECK(whole_number("9223372036854775808", 1, most).find("1 to 9223372036854775807") != std::string::npos);
  CHECK_FALSE(whole_number("0", 1, most).empty());
  CHECK_FALSE(whole_number("1x", 0, most).empty());
}

TEST_CASE("is a file where a folder is to be filled found before the work?") {
  const Scratch scratch("plots");
  CHECK(folder_to_fill(scratch.path / "made" / "later").empty());
  write_text(scratch.path, "a file");
  CHECK(folder_to_fill(scratch.path) == "`" + scratch.path.string() + "`: " + scratch.path.string() + " is no folder");
  CHECK(folder_to_fill(scratch.path / "below").ends_with("is no folder"));
  CHECK(folder_to_fill("relative").empty());
  CHECK_FALSE(folder_to_fill("").empty());
}
