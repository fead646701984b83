#include "cli/validation/verdict.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

namespace accord {

namespace {

double percent(double error) { return 100 * error; }

std::string shown(double value) { return fmt::format("{:.{}f}", value, value < 100 ? 2 : 0); }

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::compared: return "compared";
    case Ending::refused: return "refused";
    case Ending::failed: return "failed";
  }
  return "";
}

/// One per figure; of a refused row, which may have none, one for all.
std::vector<RowComparison> comparisons_of(const BenchRun& run, const RunOutcome& outcome) {
  if (outcome.ending == Ending::refused) return {{run.row, "", 0, 0, outcome.ending, outcome.reason}};
  std::vector<RowComparison> comparisons;
  for (std::size_t f = 0; f < run.figures.size(); ++f) {
    comparisons.push_back({run.row, run.figures[f].name, run.figures[f].reference, 0, outcome.ending, outcome.reason});
    if (outcome.ending == Ending::compared) comparisons.back().ours = outcome.values[f];
  }
  return comparisons;
}

std::string remark(const Verdict& v) {
  std::string remark;
  if (v.refused > 0) remark += fmt::format("{} refused ", v.refused);
  if (v.failed > 0) remark += fmt::format("{} failed ", v.failed);
  return remark.empty() ? v.passed() ? "ok" : "beyond" : remark;
}

}  // namespace

bool Verdict::passed() const {
  return refused == 0 && failed == 0 && percent(mean_error) <= bench->mean_limit &&
         percent(std::abs(worst_error)) <= bench->worst_limit;
}

Verdict judge(const Bench& bench, std::vector<std::string> tables, const std::vector<RunJob>& jobs,
              const std::vector<RunOutcome>& outcomes) {
  Verdict verdict;
  verdict.bench = &bench;
  verdict.tables = std::move(tables);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (RowComparison& comparison : comparisons_of(jobs[j].run, outcomes[j])) {
      switch (comparison.ending) {
        case Ending::compared:
          ++verdict.compared;
          verdict.mean_error += std::abs(comparison.error());
          if (std::abs(comparison.error()) > std::abs(verdict.worst_error)) verdict.worst_error = comparison.error();
          break;
        case Ending::refused: ++verdict.refused; break;
        case Ending::failed: ++verdict.failed; break;
      }
      verdict.comparisons.push_back(std::move(comparison));
    }
  }
  verdict.mean_error /= std::max(1, verdict.compared);
  return verdict;
}

void print_rows(const Verdict& verdict, std::ostream& out) {
  std::size_t row = 3, figure = 6;
  for (const RowComparison& c : verdict.comparisons) {
    row = std::max(row, c.row.size());
    figure = std::max(figure, c.figure.size());
  }
  fmt::print(out, "{}: {}\n  {:<{}}  {:<{}} {:>12} {:>12} {:>9}\n", verdict.bench->name, verdict.bench->title, "row",
             row, "figure", figure, "reference", "ours", "error");
  for (const RowComparison& c : verdict.comparisons) {
    if (c.ending == Ending::compared) {
      fmt::print(out, "  {:<{}}  {:<{}} {:>12} {:>12} {:>+8.2f}%\n", c.row, row, c.figure, figure, shown(c.reference),
                 shown(c.ours), percent(c.error()));
    } else {
      fmt::print(out, "  {:<{}}  {}: {}\n", c.row, row, name_of(c.ending), c.reason.substr(0, c.reason.find('\n')));
    }
  }
  fmt::print(out, "\n");
}

void print_summary(const std::vector<Verdict>& verdicts, std::ostream& out) {
  std::size_t name = 5;
  for (const Verdict& v : verdicts) name = std::max(name, v.bench->name.size());
  fmt::print(out, "{:<{}} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "bench", name, "figures", "mean", "allowed", "worst",
             "allowed");
  for (const Verdict& v : verdicts) {
    fmt::print(out, "{:<{}} {:>8} {:>7.2f}% {:>7.1f}% {:>+7.2f}% {:>7.1f}%  {}\n", v.bench->name, name, v.compared,
               percent(v.mean_error), v.bench->mean_limit, percent(v.worst_error), v.bench->worst_limit, remark(v));
  }
}

nlohmann::json to_json(const std::vector<Verdict>& verdicts) {
  nlohmann::json benches = nlohmann::json::array();
  for (const Verdict& v : verdicts) {
    nlohmann::json rows = nlohmann::json::array();
    for (const RowComparison& c : v.comparisons) {
      nlohmann::json row{{"row", c.row}};
      if (c.ending == Ending::compared) {
        row.update({{"figure", c.figure}, {"reference", c.reference}, {"ours", c.ours}, {"error", c.error()}});
      } else {
        row[name_of(c.ending)] = c.reason;
      }
      rows.push_back(std::move(row));
    }
    benches.push_back({{"name", v.bench->name},
                       {"title", v.bench->title},
                       {"tables", v.tables},
                       {"machine", v.bench->machine},
                       {"rows", std::move(rows)},
                       {"mean_error", v.mean_error},
                       {"worst_error", v.worst_error},
                       {"mean_allowed", v.bench->mean_limit / 100},
                       {"worst_allowed", v.bench->worst_limit / 100},
                       {"compared", v.compared},
                       {"refused", v.refused},
                       {"failed", v.failed},
                       {"passed", v.passed()}});
  }
  return benches;
}

}  // namespace accord
