#include "compiler/codelets/codelet.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "archdsl/source/error.h"

namespace accord {
namespace {

std::vector<std::string> strings(const YAML::Node& node) {
  return node ? node.as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::map<std::string, std::string> string_map(const YAML::Node& node) {
  return node ? node.as<std::map<std::string, std::string>>() : std::map<std::string, std::string>{};
}

CodeletStatement read_statement(const YAML::Node& node) {
  if (node.IsScalar()) return {node.as<std::string>(), "", ""};
  return {node["do"].as<std::string>(), node["when"].as<std::string>(""), node["unless"].as<std::string>("")};
}

void check_keys(const std::string& op, const YAML::Node& node) {
  static const std::vector<std::string> known = {"inputs",    "outputs",   "parameters", "defaults",
                                                 "constants", "iterators", "index",      "temporaries",
                                                 "outside",   "in_place",  "statements", "counted"};
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw Error(fmt::format("codelet {}: unknown key '{}'", op, key));
    }
  }
}

/// Of an input: `lowest`, an attribute's name, or a number.
void check_outside(const Codelet& codelet) {
  for (const auto& [input, text] : codelet.outside) {
    if (std::ranges::find(codelet.inputs, input) == codelet.inputs.end()) {
      throw Error(fmt::format("codelet {}: outside: '{}' is none of its inputs", codelet.op, input));
    }
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
    const auto in_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const bool is_word =
        !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && std::ranges::all_of(text, in_word);
    if (!is_number && !is_word) {
      throw Error(fmt::format("codelet {}: outside: '{}' is neither a number, nor an attribute, nor `lowest`",
                              codelet.op, text));
    }
  }
}

Codelet read_codelet(const std::string& op, const YAML::Node& node) {
  check_keys(op, node);
  Codelet codelet;
  codelet.op = op;
  codelet.inputs = strings(node["inputs"]);
  codelet.outputs = strings(node["outputs"]);
  codelet.parameters = node["parameters"].as<bool>(false);
  codelet.constants = string_map(node["constants"]);
  codelet.iterators = string_map(node["iterators"]);
  codelet.index = strings(node["index"]);
  codelet.temporaries = strings(node["temporaries"]);
  codelet.outside = string_map(node["outside"]);
  codelet.in_place = string_map(node["in_place"]);
  codelet.counted = node["counted"].as<std::string>("");
  for (const auto& entry : node["defaults"]) {
    const auto& value = entry.second;
    codelet.defaults[entry.first.as<std::string>()] =
        value.IsSequence() ? value.as<std::vector<double>>() : std::vector<double>{value.as<double>()};
  }
  for (const auto& statement : node["statements"]) codelet.statements.push_back(read_statement(statement));
  check_outside(codelet);
  return codelet;
}

}  // namespace

CodeletLibrary::CodeletLibrary(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(fmt::format("no codelets at {} (set ACCORD_CODELETS to their folder)", folder.string()));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    try {
      for (const auto& codelet : YAML::LoadFile(entry.path().string())) {
        const auto op = codelet.first.as<std::string>();
        codelets_[op] = read_codelet(op, codelet.second);
      }
    } catch (const std::exception& error) {
      throw Error(fmt::format("{}: {}", entry.path().string(), error.what()));
    }
  }
}

const CodeletLibrary& CodeletLibrary::shipped() {
  static const CodeletLibrary library = [] {
    const char* folder = std::getenv("ACCORD_CODELETS");
    return CodeletLibrary(folder ? folder : ACCORD_CODELETS_DIR);
  }();
  return library;
}

const Codelet* CodeletLibrary::find(const std::string& op) const {
  const auto it = codelets_.find(op);
  return it == codelets_.end() ? nullptr : &it->second;
}

}  // namespace accord
