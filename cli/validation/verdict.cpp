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

}  // namespace

bool Verdict::passed() const {
  return failures == 0 && percent(mean_error) <= bench->mean_limit &&
         percent(std::abs(worst_error)) <= bench->worst_limit;
}

Verdict judge(const Bench& bench, std::vector<std::string> tables, const std::vector<RunJob>& jobs,
              const std::vector<RunOutcome>& outcomes) {
  Verdict verdict;
  verdict.bench = &bench;
  verdict.tables = std::move(tables);
  double sum = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const BenchRun& run = jobs[j].run;
    for (std::size_t f = 0; f < run.figures.size(); ++f) {
      Comparison comparison{run.row, run.figures[f].name, run.figures[f].reference, 0, outcomes[j].failure};
      if (comparison.failure.empty()) {
        comparison.ours = outcomes[j].cycles[f];
        sum += std::abs(comparison.error());
        if (std::abs(comparison.error()) > std::abs(verdict.worst_error)) verdict.worst_error = comparison.error();
      } else {
        ++verdict.failures;
      }
      verdict.comparisons.push_back(std::move(comparison));
    }
  }
  const auto compared = static_cast<int>(verdict.comparisons.size()) - verdict.failures;
  verdict.mean_error = sum / std::max(1, compared);
  return verdict;
}

void print_rows(const Verdict& verdict, std::ostream& out) {
  std::size_t row = 3, figure = 6;
  for (const Comparison& c : verdict.comparisons) {
    row = std::max(row, c.row.size());
    figure = std::max(figure, c.figure.size());
  }
  fmt::print(out, "{}: {}\n  {:<{}}  {:<{}} {:>12} {:>12} {:>9}\n", verdict.bench->name, verdict.bench->title, "row",
             row, "figure", figure, "reference", "ours", "error");
  for (const Comparison& c : verdict.comparisons) {
    fmt::print(out, "  {:<{}}  {:<{}} {:>12.0f} ", c.row, row, c.figure, figure, c.reference);
    if (c.failure.empty()) {
      fmt::print(out, "{:>12.0f} {:>+8.2f}%\n", c.ours, percent(c.error()));
    } else {
      fmt::print(out, "{}\n", c.failure.substr(0, c.failure.find('\n')));
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
    fmt::print(out, "{:<{}} {:>8} {:>7.2f}% {:>7.1f}% {:>+7.2f}% {:>7.1f}%  {}\n", v.bench->name, name,
               v.comparisons.size(), percent(v.mean_error), v.bench->mean_limit, percent(v.worst_error),
               v.bench->worst_limit,
               v.failures > 0 ? fmt::format("{} not run", v.failures)
               : v.passed()   ? "ok"
                              : "beyond");
  }
}

nlohmann::json to_json(const std::vector<Verdict>& verdicts) {
  nlohmann::json json{{"passed", std::ranges::all_of(verdicts, &Verdict::passed)},
                      {"benches", nlohmann::json::array()}};
  for (const Verdict& v : verdicts) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Comparison& c : v.comparisons) {
      nlohmann::json row{{"row", c.row}, {"figure", c.figure}, {"reference", c.reference}};
      if (c.failure.empty()) {
        row["ours"] = c.ours;
        row["error"] = c.error();
      } else {
        row["failure"] = c.failure;
      }
      rows.push_back(std::move(row));
    }
    json["benches"].push_back({{"name", v.bench->name},
                               {"title", v.bench->title},
                               {"tables", v.tables},
                               {"machine", v.bench->machine},
                               {"rows", std::move(rows)},
                               {"mean_error", v.mean_error},
                               {"worst_error", v.worst_error},
                               {"mean_allowed", v.bench->mean_limit / 100},
                               {"worst_allowed", v.bench->worst_limit / 100},
                               {"failures", v.failures},
                               {"passed", v.passed()}});
  }
  return json;
}

}  // namespace accord
