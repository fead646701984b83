#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "archdsl/tensor/value.h"
#include "cli/verifier.h"
#include "compiler/network/network.h"

namespace accord {

/// The reference at work on a thread of its own while the model is compiled and simulated: evaluates the fp32 network
/// for its outputs, then the numeric network into `verifier`. Leaving the scope early gives the work up.
class ReferenceRun {
 public:
  ReferenceRun(const Network& numeric, const Network& model, const Values& inputs, Verifier& verifier);
  ~ReferenceRun();
  ReferenceRun(const ReferenceRun&) = delete;
  ReferenceRun& operator=(const ReferenceRun&) = delete;

  /// Waits until the reference is through; throws what it threw.
  void finish();
  /// After `finish`: the fp32 network's outputs, and the seconds that the reference took.
  const Values& fp32_outputs() const { return fp32_outputs_; }
  double seconds() const { return seconds_; }

 private:
  void work();
  void evaluate_numeric();

  const Network& numeric_;
  const Network& model_;
  const Values& inputs_;
  Verifier& verifier_;
  Values fp32_outputs_;
  double seconds_ = 0;
  std::exception_ptr fault_;
  std::atomic<bool> abandoned_ = false;
  std::thread thread_;  // last: it starts with all else in place
};

}  // namespace accord
