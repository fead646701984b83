#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/validation/csv_table.h"

namespace accord {

enum class FigureKind {
  cycles,
  energy,  ///< microjoules, of what the operations do
  share,   ///< percent of the cycles that a component spends in one kind of leaf of the stall tree
};

/// A figure of a row that the program's run is held against.
struct Figure {
  std::string name;         ///< the column's
  double reference = 0;     ///< above 0
  std::vector<int> layers;  ///< of the program, which the figure is of; of a compiled network, none
  /// Of a compiled network: all layers but those of these names.
  std::vector<std::string> without = {};
  FigureKind kind = FigureKind::cycles;
  std::string component = {}, leaf = {};  ///< of a share; `leaf` is how the leaves' names begin
};

/// What a bench does for one row of a table: a program in assembly on the machine with these parameters.
struct BenchRun {
  std::string row;  ///< what tells the row from others
  std::map<std::string, std::string> params;
  std::string assembly;
  std::vector<Figure> figures;
  std::string network = {};  ///< of the zoo, compiled in place of assembly; empty: none
};

/// A description of a bench in code: how it drives the machine for a row. The row's figures have no say in the program.
struct Bench {
  std::string name;
  std::string title;                 ///< what was measured or published
  std::vector<std::string> columns;  ///< a table that has all of these may be this bench's
  bool (*takes)(const CsvRow& row);  ///< nullptr: every row
  /// Throws Error where a value of the row makes no sense.
  BenchRun (*run)(const CsvRow& row);
  std::vector<std::string> tables;  ///< files under tests/validation
  std::string machine;              ///< covenant under tests/validation
  double mean_limit = 0;            ///< greatest mean and worst error that pass, in percent
  double worst_limit = 0;
};

/// All benches, in the order of the report.
std::span<const Bench> benches();

/// Where the tables and their machines lie.
std::filesystem::path validation_folder();

}  // namespace accord
