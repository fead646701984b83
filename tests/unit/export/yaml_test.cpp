// Does the resolved covenant say all that the architecture is?
#include "archdsl/export/yaml.h"

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "tests/shipped.h"
#include "tests/unit/export/machines.h"

using namespace accord;

TEST_CASE("a covenant's resolved text loads to the same architecture") {
  for (const auto& file : all_covenants()) {
    CAPTURE(file.string());
    const Architecture a = load_file(file);
    const std::string text = to_yaml(a);
    CAPTURE(text);
    const Architecture again = load_text(text);
    CHECK(again.hash == a.hash);
    CHECK(again.source == a.source);
    CHECK(to_yaml(again) == text);
    CHECK(text.find("${") == std::string::npos);
  }
}

TEST_CASE("registers that share names with fields, files and negative numbers come back") {
  std::string text = file_text(std::filesystem::path(ACCORD_SOURCE_DIR) / "tests/accept/register_file.yaml");
  const auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  replace("base: {bits: 20, count: 8, signed: true}", "base: {bits: 20, count: 8, signed: true}, n: 8, m: 8");
  replace("n0: n}, post: {\"base[r]\": n}", "n0: \"n[0]\"}, post: {\"base[r]\": n, \"base[ r ]\": -3, n: 1, m: 2}");
  Architecture a;
  SUBCASE("in a transfer") { a = load_text(text); }
  SUBCASE("where two updates change one register") {
    replace("{set: [\"base[which]\"]}", "{set: [\"base[which]\", \"base[ which]\", m, \"m[0]\"]}");
    replace(
        "fields: {which: 3, base: 20}",
        "fields: {which: 3, base: 20}, args: {\"base[which]\": base, \"base[ which]\": \"m + -7\", m: 1, \"m[0]\": 2}");
    a = load_text(text);
  }
  CHECK(load_text(to_yaml(a)).hash == a.hash);
}

TEST_CASE("words that YAML reads as something else are quoted") {
  for (const char* const word : {"null", "true", "False", "", "core[0].spad", "a b", "1x", "~", "a: b", "# c"}) {
    CHECK(yaml_scalar(word).front() == '"');
  }
  CHECK(yaml_scalar("spad_2") == "spad_2");
  CHECK(yaml_quoted("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\n\\x01\"");
  std::string text = file_text(std::filesystem::path(ACCORD_SOURCE_DIR) / "tests/accept/smallest.yaml");
  for (std::size_t at = text.find("buf"); at != std::string::npos; at = text.find("buf", at))
    text.replace(at, 3, "'true'");
  for (const std::string part : {"dram -> 'true'", "'true' -> dram"}) {
    const std::string bare = part.front() == 'd' ? "dram -> true" : "true -> dram";
    text.replace(text.find(part), part.size(), bare);
  }
  for (const std::string part : {"dma.dram->'true'", "dma.'true'->dram"}) {
    const std::string bare = part.ends_with('m') ? "dma.true->dram" : "dma.dram->true";
    text.replace(text.find(part), part.size(), bare);
  }
  const Architecture a = load_text(text);
  CHECK(load_text(to_yaml(a)).hash == a.hash);
}

TEST_CASE("a citation of several lines and quotes comes back") {
  Architecture a = shipped("hvx");
  a.source = "\"Quoted\", with: colons # and\nlines \\ and \xc3\xa9";
  CHECK(load_text(to_yaml(a)).source == a.source);
}

TEST_CASE("names with indices ask for literal reading") {
  Architecture a = load_file(std::filesystem::path(ACCORD_SOURCE_DIR) / "tests/accept/smallest.yaml");
  CHECK(to_yaml(a).find("resolved:") == std::string::npos);
  a.memories[1].name = "core[0].buf";
  const std::string text = to_yaml(a);
  CHECK(text.find("resolved: true\n") != std::string::npos);
  CHECK(text.find("\"core[0].buf\": {kind: memory") != std::string::npos);
  CHECK(text.find("{transfer: \"dma.dram->core[0].buf\"}") != std::string::npos);
}

TEST_CASE("a field that chooses the unit stands in its name") {
  const std::string text = to_yaml(array_of_cores());
  CHECK(text.find("{transfer: \"core[c].dma.dram->core[0].spad\"}") != std::string::npos);
  CHECK(text.find("{run: \"core[c].alu.relu\"}") != std::string::npos);
  CHECK(text.find("to: [\"core[0].spad\", \"core[1].spad\", \"core[2].spad\", \"core[3].spad\"]") != std::string::npos);
}

// Literal names of instances are not yet ends of links, and routes of alike elements are compared by their full names.
TEST_CASE("an array's resolved text loads to the same architecture") {
  const Architecture a = array_of_cores();
  const Scratch file("array.yaml");
  std::ofstream(file.path, std::ios::binary) << to_yaml(a);
  const LoadResult again = load_architecture(file.path);
  REQUIRE(again.architecture.has_value());
  CHECK(again.architecture->hash == a.hash);
}

TEST_CASE("what the language cannot say is refused") {
  Architecture a = load_file(std::filesystem::path(ACCORD_SOURCE_DIR) / "tests/accept/smallest.yaml");
  Mnemonic& ld = a.isa.mnemonics.at(1);
  ld.arguments.at(2) = ld.arguments.at(1);
  ld.arguments.at(2).unit += 1;
  CHECK_THROWS_AS(to_yaml(a), Error);
}
