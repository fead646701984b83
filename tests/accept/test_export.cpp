// Do the exports hold what the covenant says, in forms that other programs read?
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "archdsl/check/load.h"
#include "archdsl/export/show.h"
#include "archdsl/source/error.h"
#include "tests/file_text.h"
#include "tests/scratch.h"
#include "tests/shipped.h"

using namespace accord;

TEST_CASE("json holds every component and the hash") {
  const Architecture a = shipped("gemmini16");
  const auto json = nlohmann::json::parse(to_json(a));
  CHECK(json["hash"] == a.hash);
  CHECK(json["memories"].size() == 4);
  CHECK(json["units"][2]["capabilities"][0]["timing"]["interval"] == "max(i, 16)");
  CHECK(json["isa"]["mnemonics"].size() == a.isa.mnemonics.size());
}

TEST_CASE("show writes what the extension names") {
  const Scratch scratch("show");
  const std::filesystem::path& folder = scratch.path;
  std::filesystem::create_directory(folder);
  const Architecture a = shipped("gemmini16");
  for (const char* const extension : {".dot", ".json", ".xml", ".yaml"}) {
    const std::filesystem::path file = folder / (std::string("accord_show") + extension);
    show(a, file);
    CHECK(std::filesystem::file_size(file) > 100);
  }
  CHECK_THROWS_AS(show(a, folder / "accord_show.png"), Error);
  CHECK_THROWS_AS(show(a, "/nonexistent/a.dot"), Error);
  const std::filesystem::path picture = folder / "accord_show.svg";
  if (std::system("command -v dot > /dev/null") == 0) {
    show(a, picture);
    CHECK(file_text(picture).find("<svg") != std::string::npos);
  } else {
    CHECK_THROWS_AS(show(a, picture), Error);
    CHECK_FALSE(std::filesystem::exists(picture));
  }
}
