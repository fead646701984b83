#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "archdsl/tensor/statement.h"
#include "compiler/network/network.h"

namespace accord {

/// A statement of a codelet; `when` / `unless` name an optional input or attribute that must be present / absent.
struct CodeletStatement {
  std::string text;
  std::string when;
  std::string unless;
  std::string where{};  ///< file:line:column
};

/// An operator's meaning as data: docs/codelets.md describes the notation.
struct Codelet {
  std::string op;
  std::string where;  ///< file:line:column
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  bool parameters = false;  ///< further inputs are named by the attribute `parameters`
  std::map<std::string, std::vector<double>> defaults;
  std::map<std::string, std::string> constants;
  std::map<std::string, std::string> iterators;  ///< name -> extent
  std::vector<std::string> index;                ///< index texts of output 0; empty: one iterator per dimension
  std::vector<std::string> temporaries;
  std::map<std::string, std::string> outside;
  std::map<std::string, std::string> in_place;  ///< output -> input whose memory it shares
  std::string counted;                          ///< input whose extent `inside` (a tensor of ones) takes
  std::vector<CodeletStatement> statements;
};

/// The codelets of a folder of YAML files. Throws Error, with file, line and column, on what is none.
class CodeletLibrary {
 public:
  explicit CodeletLibrary(const std::filesystem::path& folder);
  /// The shipped folder: $ACCORD_CODELETS, else the one the build was made from.
  static const CodeletLibrary& shipped();
  const Codelet* find(const std::string& op) const;

 private:
  std::map<std::string, Codelet> codelets_;
};

}  // namespace accord
