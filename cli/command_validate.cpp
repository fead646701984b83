#include <algorithm>
#include <iostream>
#include <thread>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "archdsl/source/error.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/validation/scatter.h"
#include "cli/validation/verdict.h"

namespace accord {

namespace {

/// A bench with the tables that it runs over.
struct Task {
  const Bench* bench;
  std::vector<std::filesystem::path> tables;
};

std::vector<Task> shipped_tasks(const std::vector<std::string>& names) {
  std::vector<Task> tasks;
  for (const Bench& bench : benches()) {
    if (!names.empty() && std::ranges::find(names, bench.name) == names.end()) continue;
    Task task{&bench, {}};
    for (const std::string& table : bench.tables) task.tables.push_back(validation_folder() / table);
    tasks.push_back(std::move(task));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(benches(), name, &Bench::name) != benches().end()) continue;
    std::string known;
    for (const Bench& bench : benches()) known += (known.empty() ? "" : ", ") + bench.name;
    throw Error(fmt::format("'{}' is no bench; there are {}", name, known));
  }
  return tasks;
}

bool fits(const Bench& bench, const CsvTable& table) {
  return std::ranges::all_of(bench.columns, [&](const std::string& column) { return table.has(column); });
}

bool takes(const Bench& bench, const CsvRow& row) { return !bench.takes || bench.takes(row); }

/// Every bench that some row of the file is for.
std::vector<Task> tasks_of(const std::filesystem::path& file, const std::vector<std::string>& names) {
  const CsvTable table(file);
  std::vector<Task> tasks = shipped_tasks(names);
  std::erase_if(tasks, [&](const Task& task) { return !fits(*task.bench, table); });
  if (tasks.empty()) throw Error(file.string() + ": its columns are those of no bench");
  std::erase_if(tasks, [&](const Task& task) {
    return std::ranges::none_of(table.rows(), [&](const CsvRow& row) { return takes(*task.bench, row); });
  });
  for (Task& task : tasks) task.tables = {file};
  return tasks;
}

/// Rows of the file that are for none of the benches: FILE:LINE each.
std::vector<std::string> rows_for_none(const std::filesystem::path& file, const std::vector<Task>& tasks) {
  std::vector<std::string> rows;
  const CsvTable table(file);
  for (const CsvRow& row : table.rows()) {
    if (std::ranges::none_of(tasks, [&](const Task& task) { return takes(*task.bench, row); }))
      rows.push_back(row.where());
  }
  return rows;
}

RunJob job_of(const Bench& bench, const CsvRow& row) {
  const std::filesystem::path machine = validation_folder() / bench.machine;
  try {
    return {machine, bench.run(row), row.where(), {}};
  } catch (const Error& error) {
    std::string_view reason = error.what();
    if (reason.starts_with(row.where() + ": ")) reason.remove_prefix(row.where().size() + 2);
    return {machine, {row.where(), {}, {}, {}}, row.where(), std::string(reason)};
  }
}

std::vector<RunJob> jobs_of(const Task& task) {
  std::vector<RunJob> jobs;
  for (const auto& file : task.tables) {
    const CsvTable table(file);
    for (const CsvRow& row : table.rows()) {
      if (takes(*task.bench, row)) jobs.push_back(job_of(*task.bench, row));
    }
  }
  return jobs;
}

Verdict validate(const Task& task, int workers) {
  const auto jobs = jobs_of(task);
  std::vector<std::string> tables;
  for (const auto& table : task.tables) tables.push_back(table.filename().string());
  return judge(*task.bench, std::move(tables), jobs, run_jobs(jobs, workers));
}

}  // namespace

Exit run_command(const ValidateCommand& command) {
  const auto tasks = command.table.empty() ? shipped_tasks(command.benches) : tasks_of(command.table, command.benches);
  const auto for_none = command.table.empty() || !command.benches.empty() ? std::vector<std::string>{}
                                                                          : rows_for_none(command.table, tasks);
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Verdict> verdicts;
  for (const Task& task : tasks) {
    verdicts.push_back(validate(task, command.jobs > 0 ? command.jobs : cores));
    if (!command.quiet) print_rows(verdicts.back(), std::cout);
  }
  for (const std::string& row : for_none) fmt::print(std::cout, "{}: refused: no bench takes the row\n", row);
  print_summary(verdicts, std::cout);
  const bool passed = for_none.empty() && std::ranges::all_of(verdicts, &Verdict::passed);
  write_json(command.json, {{"passed", passed}, {"rows_for_none", for_none}, {"benches", to_json(verdicts)}});
  if (!command.plots.empty()) write_plots(verdicts, command.plots);
  return passed ? Exit::right : Exit::user_error;
}

}  // namespace accord
