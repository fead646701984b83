#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/validation/run_benches.h"

namespace accord {

/// A figure of a row: what was measured elsewhere, and what the simulator says.
struct RowComparison {
  std::string row;
  std::string figure;
  double reference = 0;
  double ours = 0;
  Ending ending = Ending::compared;
  std::string reason;  ///< why there is no figure of ours

  double error() const { return ours / reference - 1; }
};

/// A bench on a table. Errors are relative to the reference; the mean is of absolute values, over what was compared.
struct Verdict {
  const Bench* bench = nullptr;
  std::vector<std::string> tables;
  std::vector<RowComparison> comparisons;
  double mean_error = 0;
  double worst_error = 0;  ///< the one farthest from 0, with its sign
  int compared = 0;        ///< figures
  int refused = 0;         ///< rows
  int failed = 0;          ///< figures

  /// Nothing was refused or failed, and the errors are within what the bench allows.
  bool passed() const;
};

Verdict judge(const Bench& bench, std::vector<std::string> tables, const std::vector<RunJob>& jobs,
              const std::vector<RunOutcome>& outcomes);

void print_rows(const Verdict& verdict, std::ostream& out);
void print_summary(const std::vector<Verdict>& verdicts, std::ostream& out);
/// An array, one object per bench.
nlohmann::json to_json(const std::vector<Verdict>& verdicts);

}  // namespace accord
