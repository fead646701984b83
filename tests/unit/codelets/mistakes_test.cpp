// Does a mistake in a codelet's file say where it stands, and nothing worse?
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "archdsl/source/error.h"
#include "compiler/codelets/work.h"
#include "tests/scratch.h"

using namespace accord;

namespace {

/// A Scale over [2,3] through the only codelet of a file.
void check_mistake(const std::string& codelet, const std::string& message) {
  CAPTURE(codelet);
  const Scratch folder("codelets");
  std::filesystem::create_directory(folder.path);
  std::ofstream(folder.path / "mine.yaml") << "Mine:\n" << codelet;
  Network network;
  const TensorId x = network.add({"x", ElementType::fp32, {2, 3}, nullptr, std::nullopt});
  const TensorId y = network.add({"y", ElementType::fp32, {2, 3}, nullptr, std::nullopt});
  network.operators.push_back({"m", "Mine", {x}, {y}, {}});
  const std::string expected = (folder.path / "mine.yaml").string() + message;
  CHECK_THROWS_WITH_AS(instantiate(network, {0}, CodeletLibrary(folder.path)), doctest::Contains(expected.c_str()),
                       Error);
}

const std::string head = "  inputs: [x]\n  outputs: [y]\n";

}  // namespace

TEST_CASE("Are extents that there are not refused with file, line and column?") {
  const std::string rest = "  index: [i, j]\n  statements: [\"y[i, j] = x[i, j]\"]\n";
  check_mistake(head + "  iterators: {i: x_0 / 0, j: x_1}\n" + rest, ":2:3: `x_0 / 0` divides by zero");
  check_mistake(head + "  iterators: {i: -1, j: x_1}\n" + rest, ":2:3: iterator i has the extent -1, which is `-1`");
  check_mistake(head + "  iterators: {i: x_9, j: x_1}\n" + rest, ":2:3: ");
}

TEST_CASE("Are statements that are none refused with file, line and column?") {
  check_mistake(head + "  statements: \"y[@] = x[@x]\"\n", ":4:15: statements of Mine are no list");
  check_mistake(head + "  statements: [[\"y[@] = x[@x]\"]]\n", ":4:16: a statement is a text, or has `do` with one");
  check_mistake(head + "  statements: [{do: \"y[@] = x[@x]\", whem: x}]\n", ":4:37: unknown key 'whem'");
  check_mistake(head + "  statements: [\"y[@] = x[@z]\"]\n", ":4:16: 'z' is no operand that has a shape");
  check_mistake(head + "  statements: [\"y[@1 = x[@x]\"]\n", ":4:16: '1' is no operand that has a shape");
  check_mistake(head + "  statements: [\"y[@] = x[@x] +\"]\n", ":4:16: codelet statement");
}

TEST_CASE("Are names that nothing has refused with file, line and column?") {
  const std::string rest = "  statements: [\"y[@] = x[@x]\"]\n";
  check_mistake(head + "  in_place: {z: x}\n" + rest, ":2:3: codelet Mine: 'z' is none of its outputs");
  check_mistake(head + "  in_place: {y: z}\n" + rest, ":2:3: codelet Mine: 'z' is none of its inputs");
  check_mistake(head + "  counted: z\n" + rest, ":2:3: codelet Mine: 'z' is none of its inputs");
  check_mistake(head + "  statement: []\n" + rest, ":4:3: codelet Mine: unknown key 'statement'");
  check_mistake("  - inputs\n", ":2:3: codelet Mine has no keys");
  check_mistake("  inputs: [x\n", ":");
}

TEST_CASE("Is a second codelet of one operator refused, in whichever file?") {
  const std::string codelet = ":\n" + head + "  statements: [\"y[@] = x[@x]\"]\n";
  const Scratch folder("codelets");
  std::filesystem::create_directory(folder.path);
  std::ofstream(folder.path / "a.yaml") << "Mine" << codelet;
  std::ofstream(folder.path / "b.yml") << "Other" << codelet << "Mine" << codelet;
  const std::string expected = (folder.path / "b.yml").string() + ":5:1: Mine has a codelet already, at " +
                               (folder.path / "a.yaml").string() + ":1:1";
  CHECK_THROWS_WITH_AS(CodeletLibrary{folder.path}, expected.c_str(), Error);
}
