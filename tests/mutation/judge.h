#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"
#include "archdsl/tensor/value.h"
#include "tests/mutation/mutator.h"

namespace accord::test {

/// A compiled program whose values are right, and what it takes to tell whether a mutant's are.
struct Subject {
  std::string machine;
  std::string network;
  Architecture architecture;
  Program program;
  Values inputs;
  Values delivered;  ///< what each layer delivers
  std::int64_t cycles = 0;
};

/// Compiles nothing: runs the program and keeps what it delivers. Throws Error where it has hazards or where its
/// outputs are not the expected ones.
void run_original(Subject& subject, const Values& expected);

/// What became of a mutant.
struct Verdict {
  /// A hazard's kind (of several the first); `rejected` (Error); `invariant`; `mismatch`: values differ; `rounded`:
  /// floats differ within the tolerance of `accord run`; `right`, and nothing races. Two are defects: `silent`: right
  /// and nothing reported, but two accesses are not ordered; `false_race`: races alone are reported, but all are
  /// ordered.
  std::string outcome;
  std::string detail;
  bool defect() const { return outcome == "silent" || outcome == "false_race"; }
};

/// Runs the mutant for at most ten times the original's cycles, and some.
Verdict judge(const Subject& subject, const Program& mutant);

}  // namespace accord::test
