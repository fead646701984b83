#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/validation/run_benches.h"

namespace accord {

/// A figure of a row: what was measured elsewhere, and what the simulator says.
struct Comparison {
  std::string row;
  std::string figure;
  double reference = 0;
  double ours = 0;
  std::string failure;  ///< why there is no figure of ours

  double error() const { return ours / reference - 1; }
};

/// A bench on a table. Errors are relative to the reference; the mean is of absolute values.
struct Verdict {
  const Bench* bench = nullptr;
  std::vector<std::string> tables;
  std::vector<Comparison> comparisons;
  double mean_error = 0;
  double worst_error = 0;  ///< the one farthest from 0, with its sign
  int failures = 0;

  bool passed() const;
};

Verdict judge(const Bench& bench, std::vector<std::string> tables, const std::vector<RunJob>& jobs,
              const std::vector<RunOutcome>& outcomes);

void print_rows(const Verdict& verdict, std::ostream& out);
void print_summary(const std::vector<Verdict>& verdicts, std::ostream& out);
nlohmann::json to_json(const std::vector<Verdict>& verdicts);

}  // namespace accord
