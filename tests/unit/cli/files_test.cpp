#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>

#include "archdsl/source/error.h"
#include "cli/files.h"
#include "tests/scratch.h"

using namespace accord;

TEST_CASE("is a text refused that has no end, or is larger than it may be?") {
  CHECK_THROWS_WITH_AS(read_text("/dev/zero", 1), "/dev/zero: is no regular file", Error);
  const Scratch scratch("text");
  REQUIRE(mkfifo(scratch.path.c_str(), 0600) == 0);
  CHECK_THROWS_AS(read_text(scratch.path, 1), Error);
  std::filesystem::remove(scratch.path);
  write_text(scratch.path, "some text");
  CHECK(read_text(scratch.path, 1) == "some text");
  std::filesystem::resize_file(scratch.path, 1 << 20);
  CHECK(read_text(scratch.path, 1).size() == 1 << 20);
  std::filesystem::resize_file(scratch.path, (1 << 20) + 1);
  CHECK_THROWS_WITH_AS(read_text(scratch.path, 1), (scratch.path.string() + ": is larger than 1 MiB").c_str(), Error);
  CHECK_THROWS_AS(read_text(scratch.path / "nowhere", 1), Error);
  write_text(scratch.path, "");
  CHECK(read_text(scratch.path, 1).empty());
}
