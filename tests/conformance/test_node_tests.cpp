#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "archdsl/source/error.h"
#include "compiler/codelets/work.h"
#include "compiler/network/canonicalise.h"
#include "compiler/reference/execute.h"
#include "tests/conformance/codelet_run.h"
#include "tests/conformance/node_test.h"

namespace accord {
namespace {

/// Imported tests that are known not to give the recorded values, with the reason: a line is "name: reason".
std::map<std::string, std::string> known_deviations() {
  std::map<std::string, std::string> deviations;
  std::ifstream file(ACCORD_SOURCE_DIR "/tests/conformance/known_deviations.txt");
  for (std::string line; std::getline(file, line);) {
    if (const auto colon = line.find(": "); colon != std::string::npos && line[0] != '#') {
      deviations[line.substr(0, colon)] = line.substr(colon + 2);
    }
  }
  return deviations;
}

std::vector<std::filesystem::path> node_test_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(node_tests_folder())) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

/// Operators that importing resolves, so that the reference need not know them.
bool is_folded(const std::string& type) {
  return type == "Constant" || type == "ConstantOfShape" || type == "Shape" || type == "Size" || type == "Range" ||
         type == "Upsample" || type == "EyeLike" || type == "NonZero" || type == "CastLike";
}

/// The first operator that the reference does not claim, or none.
std::string unclaimed_operator(const NodeTest& test) {
  const auto found = std::ranges::find_if(
      test.operator_types, [](const std::string& type) { return !can_execute(type) && !is_folded(type); });
  return found == test.operator_types.end() ? "" : *found;
}

/// What an import error says, without the model's path, the list of what is supported and the shapes.
std::string essence(const std::string& message) {
  std::string text = message.substr(0, message.find(';'));
  if (const auto operation = text.find(" ("); operation != std::string::npos && text.starts_with("/"))
    text = text.substr(operation + 1);
  return text.substr(0, text.find('['));
}

/// Runs a network; an Error that begins with "skip: " says why it cannot.
using Evaluate = std::function<Values(Network, const Values&)>;

/// Every node test that is imported, evaluated: how many give what is recorded.
int count_passing(const Evaluate& evaluate) {
  const auto deviations = known_deviations();
  std::map<std::string, int> skipped;
  int passed = 0;
  for (const auto& folder : node_test_folders()) {
    const std::string name = folder.filename().string();
    NodeTest test;
    Network network;
    try {
      test = read_node_test(folder);
      if (const std::string type = unclaimed_operator(test); !type.empty()) {
        ++skipped["the reference has no " + type];
        continue;
      }
      network = import_node_test(test);
    } catch (const Error& error) {
      ++skipped["not imported: " + essence(error.what())];
      continue;
    }
    std::string failure;
    try {
      failure = difference(test, network, evaluate(network, test.inputs));
    } catch (const Error& error) {
      failure = error.what();
    }
    if (failure.starts_with("skip: ")) {
      ++skipped[failure.substr(6)];
      continue;
    }
    if (const auto deviation = deviations.find(name); deviation != deviations.end()) {
      ++skipped[deviation->second];
      CHECK_MESSAGE(!failure.empty(), name, " passes now: take it off the list of known deviations");
      continue;
    }
    CHECK_MESSAGE(failure.empty(), name, ": ", failure);
    passed += failure.empty();
  }
  std::cout << passed << " ONNX node tests pass; skipped:\n";
  for (const auto& [reason, count] : skipped) std::cout << "  " << count << " x " << reason << '\n';
  return passed;
}

/// The operators that neither canonical form nor a codelet knows.
std::string without_codelet(const Network& network) {
  std::set<std::string> types;
  for (const auto& op : network.operators) {
    try {
      instantiate(network, {static_cast<int>(&op - network.operators.data())}, CodeletLibrary::shipped());
    } catch (const Error&) {
      types.insert(op.type);
    }
  }
  return fmt::format("{}", fmt::join(types, ", "));
}

bool has_node_tests() {
  const bool there = std::filesystem::exists(node_tests_folder());
  if (!there) MESSAGE("skipped: package libonnx-testdata is not installed");
  return there;
}

TEST_CASE("Do ONNX's own node tests pass for every operator that the reference claims?") {
  if (!has_node_tests()) return;
  // The floor catches an import that begins to refuse what it took; raise it when more pass.
  CHECK(count_passing([](const Network& network, const Values& inputs) { return execute(network, inputs); }) >= 655);
}

TEST_CASE("Do canonical form and codelets mean what ONNX's own node tests record?") {
  if (!has_node_tests()) return;
  const auto evaluate = [](Network network, const Values& inputs) {
    try {
      canonicalise(network);
    } catch (const Error& error) {
      throw Error("skip: " + std::string(error.what()));
    }
    if (const auto types = without_codelet(network); !types.empty()) throw Error("skip: no codelet for " + types);
    return run_codelets(network, inputs);
  };
  CHECK(count_passing(evaluate) >= 630);
}

}  // namespace
}  // namespace accord
