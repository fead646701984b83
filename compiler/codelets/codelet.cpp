#include "compiler/codelets/codelet.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>

#include "archdsl/source/error.h"

namespace accord {
namespace {

std::vector<std::string> strings(const YAML::Node& node) {
  return node ? node.as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::map<std::string, std::string> string_map(const YAML::Node& node) {
  return node ? node.as<std::map<std::string, std::string>>() : std::map<std::string, std::string>{};
}

std::string place(const std::string& file, const YAML::Mark& mark) {
  return mark.is_null() ? file : fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1);
}

/// A mistake in a codelet file.
[[noreturn]] void refuse(const YAML::Node& node, const std::string& why) {
  throw YAML::RepresentationException(node.Mark(), why);
}

CodeletStatement read_statement(const std::string& file, const YAML::Node& node) {
  const std::string where = place(file, node.Mark());
  if (node.IsScalar()) return {node.as<std::string>(), "", "", where};
  if (!node.IsMap() || !node["do"]) refuse(node, "a statement is a text, or has `do` with one");
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>();
    if (key != "do" && key != "when" && key != "unless") refuse(entry.first, fmt::format("unknown key '{}'", key));
  }
  return {node["do"].as<std::string>(), node["when"].as<std::string>(""), node["unless"].as<std::string>(""), where};
}

void check_keys(const std::string& op, const YAML::Node& node) {
  if (!node.IsMap()) refuse(node, fmt::format("codelet {} has no keys", op));
  static const std::vector<std::string> known = {"inputs",    "outputs",   "parameters", "defaults",
                                                 "constants", "iterators", "index",      "temporaries",
                                                 "outside",   "in_place",  "statements", "counted"};
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse(entry.first, fmt::format("codelet {}: unknown key '{}'", op, key));
    }
  }
}

/// Names of `in_place` and `counted` are those of inputs and outputs.
void check_names(const Codelet& codelet, const YAML::Node& node) {
  const auto require = [&](const std::vector<std::string>& names, const std::string& name, const char* what) {
    if (std::ranges::find(names, name) != names.end()) return;
    refuse(node, fmt::format("codelet {}: '{}' is none of its {}", codelet.op, name, what));
  };
  for (const auto& [output, input] : codelet.in_place) {
    require(codelet.outputs, output, "outputs");
    require(codelet.inputs, input, "inputs");
  }
  if (!codelet.counted.empty()) require(codelet.inputs, codelet.counted, "inputs");
}

/// Of an input: `lowest`, an attribute's name, or a number.
void check_outside(const Codelet& codelet, const YAML::Node& node) {
  for (const auto& [input, text] : codelet.outside) {
    if (std::ranges::find(codelet.inputs, input) == codelet.inputs.end()) {
      refuse(node, fmt::format("codelet {}: outside: '{}' is none of its inputs", codelet.op, input));
    }
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
    const auto in_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const bool is_word =
        !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && std::ranges::all_of(text, in_word);
    if (!is_number && !is_word) {
      refuse(node, fmt::format("codelet {}: outside: '{}' is neither a number, nor an attribute, nor `lowest`",
                               codelet.op, text));
    }
  }
}

Codelet read_codelet(const std::string& file, const std::string& op, const YAML::Node& node) {
  check_keys(op, node);
  Codelet codelet;
  codelet.op = op;
  codelet.where = place(file, node.Mark());
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
  const YAML::Node statements = node["statements"];
  if (statements && !statements.IsSequence()) refuse(statements, fmt::format("statements of {} are no list", op));
  for (const auto& statement : statements) codelet.statements.push_back(read_statement(file, statement));
  check_outside(codelet, node);
  check_names(codelet, node);
  return codelet;
}

/// By name, whatever order the file system has them in.
std::set<std::string> codelet_files(const std::filesystem::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".yaml" || extension == ".yml") files.insert(entry.path().string());
  }
  return files;
}

}  // namespace

CodeletLibrary::CodeletLibrary(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(fmt::format("no codelets at {} (set ACCORD_CODELETS to their folder)", folder.string()));
  }
  std::map<std::string, std::string> places;
  for (const std::string& file : codelet_files(folder)) {
    try {
      const YAML::Node codelets = YAML::LoadFile(file);
      if (!codelets.IsMap()) refuse(codelets, "a codelet file has names of operators, each with its codelet");
      for (const auto& codelet : codelets) {
        const auto op = codelet.first.as<std::string>();
        const auto [first, fresh] = places.emplace(op, place(file, codelet.first.Mark()));
        if (!fresh) refuse(codelet.first, fmt::format("{} has a codelet already, at {}", op, first->second));
        codelets_[op] = read_codelet(file, op, codelet.second);
      }
    } catch (const YAML::Exception& error) {
      throw Error(fmt::format("{}: {}", place(file, error.mark), error.msg));
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
