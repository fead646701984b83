// Is a program that something changed at random told from the right one? Makes mutants of compiled programs, runs them,
// and counts what becomes of each kind.
//
//     accord_mutants [MUTANTS [SEED [MACHINE]]]
//
// Each mutant runs in a child process that makes it from its own seed, so that a crash or a hang is that mutant's
// alone. The table has a row per kind of mutation and a column per outcome (tests/mutation/judge.h). Defects (silent
// ones, races that are none, crashes, hangs) are listed with what was changed, and make the exit status 1.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/mutation/subjects.h"

namespace {

using namespace accord;
using namespace accord::test;

constexpr unsigned most_seconds = 60;  // of a mutant; none comes near

struct Machine {
  std::vector<Subject> subjects;
  std::vector<Mutator> mutators;
};

struct Outcome {
  std::string mutation, outcome, what;
  double seconds = 0;
};

/// The mutant with this seed.
std::pair<const Subject*, Mutant> make(const Machine& machine, std::uint64_t seed) {
  Draw draw(seed);
  const auto s = static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(machine.subjects.size()) - 1));
  return {&machine.subjects[s], machine.mutators[s].draw_any(draw)};
}

/// Child: judges mutants from `first` on and writes a line for each, before and after.
void work(const Machine& machine, std::uint64_t first, std::uint64_t last, int out) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    alarm(most_seconds);
    const auto [subject, mutant] = make(machine, seed);
    dprintf(out, "%s\t%s: %s\n", name(mutant.mutation).c_str(), subject->network.c_str(), mutant.what.c_str());
    const auto start = std::chrono::steady_clock::now();
    const Verdict verdict = judge(*subject, mutant.program);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    dprintf(out, "%s\t%.4f\t%s\n", verdict.outcome.c_str(), seconds, verdict.defect() ? verdict.detail.c_str() : "");
  }
}

std::vector<std::string> split(std::string line) {
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::vector<std::string> parts(1);
  for (const char c : line) {
    if (c == '\t')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// Runs mutants in a child; returns how many it judged, the one that ended it included.
std::uint64_t run_child(const Machine& machine, std::uint64_t first, std::uint64_t last, std::vector<Outcome>& all) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(machine, first, last, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  FILE* in = fdopen(ends[0], "r");
  std::uint64_t judged = 0;
  bool open = false;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (getline(&line, &capacity, in) > 0) {
    const auto parts = split(line);
    if (!open) {
      all.push_back({parts[0], "", fmt::format("seed {}, {}", first + judged, parts[1])});
    } else {
      all.back().outcome = parts[0];
      all.back().seconds = std::atof(parts[1].c_str());
      if (!parts[2].empty()) all.back().what += "; " + parts[2];
      ++judged;
    }
    open = !open;
  }
  std::free(line);
  fclose(in);
  int status = 0;
  waitpid(child, &status, 0);
  if (!open) return judged;
  all.back().outcome = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hang" : "crash";
  return judged + 1;
}

bool is_defect(const std::string& outcome) {
  return outcome == "silent" || outcome == "false_race" || outcome == "crash" || outcome == "hang";
}

/// Outcomes that never came are left out, but for the defects.
void print_table(const std::vector<Outcome>& all) {
  std::vector<std::string> columns = {"right",
                                      "rounded",
                                      "mismatch",
                                      "uninitialised_read",
                                      "race",
                                      "ambiguous_signal",
                                      "unmatched_signal",
                                      "deadlock",
                                      "semaphore_overflow",
                                      "out_of_range",
                                      "undefined_opcode",
                                      "loop_overflow",
                                      "cycle_limit",
                                      "invariant",
                                      "rejected",
                                      "silent",
                                      "false_race",
                                      "crash",
                                      "hang"};
  std::map<std::string, std::map<std::string, int>> counts;
  for (const auto& outcome : all) {
    ++counts[outcome.mutation][outcome.outcome];
    ++counts["all"][outcome.outcome];
  }
  std::erase_if(columns, [&](const auto& column) { return !is_defect(column) && !counts["all"].contains(column); });
  fmt::print("\n| mutation | mutants |");
  for (const auto& column : columns) fmt::print(" {} |", column);
  fmt::print("\n|---|---|");
  for (std::size_t c = 0; c < columns.size(); ++c) fmt::print("---|");
  fmt::print("\n");
  std::vector<std::string> rows;
  for (const Mutation mutation : all_mutations()) rows.push_back(name(mutation));
  rows.emplace_back("all");
  for (const auto& row : rows) {
    int sum = 0;
    for (const auto& [unused, count] : counts[row]) sum += count;
    fmt::print("| {} | {} |", row, sum);
    for (const auto& column : columns) fmt::print(" {} |", counts[row][column]);
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string only = argc > 3 ? argv[3] : "";
  const auto& machines = mutation_machines();
  const std::uint64_t each = only.empty() ? (wanted + machines.size() - 1) / machines.size() : wanted;
  std::vector<Outcome> all;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    if (!only.empty() && machines[m] != only) continue;
    const auto start = std::chrono::steady_clock::now();
    Machine machine{subjects_of(machines[m], seed), {}};
    for (const Subject& subject : machine.subjects)
      machine.mutators.emplace_back(subject.architecture, subject.program);
    const double made = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::vector<Outcome> here;
    const std::uint64_t first = (seed * machines.size() + m) * 1'000'000, last = first + each;
    for (std::uint64_t next = first; next < last;) next += run_child(machine, next, last, here);
    double seconds = 0, longest = 0;
    for (const Outcome& outcome : here) {
      seconds += outcome.seconds;
      longest = std::max(longest, outcome.seconds);
      if (is_defect(outcome.outcome))
        fmt::print("{}: {}: {}: {}\n", outcome.outcome, machines[m], outcome.mutation, outcome.what);
    }
    fmt::print("{}: {} programs in {:.1f} s, {} mutants in {:.1f} s, the longest {:.2f} s\n", machines[m],
               machine.subjects.size(), made, here.size(), seconds, longest);
    all.insert(all.end(), here.begin(), here.end());
  }
  print_table(all);
  for (const Outcome& outcome : all) {
    if (is_defect(outcome.outcome)) return 1;
  }
  return 0;
}
