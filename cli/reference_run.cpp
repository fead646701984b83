#include "cli/reference_run.h"

#include "cli/stopwatch.h"
#include "compiler/reference/execute.h"

namespace accord {

namespace {
struct Abandoned {};
}  // namespace

ReferenceRun::ReferenceRun(const Network& numeric, const Network& model, const Values& inputs, Verifier& verifier)
    : numeric_(numeric), model_(model), inputs_(inputs), verifier_(verifier), thread_([this] { work(); }) {}

ReferenceRun::~ReferenceRun() {
  if (!thread_.joinable()) return;
  abandoned_ = true;
  verifier_.close();
  thread_.join();
}

void ReferenceRun::finish() {
  thread_.join();
  if (fault_) std::rethrow_exception(fault_);
}

void ReferenceRun::work() {
  const Stopwatch working;
  try {
    // First what needs nothing of the machine. One thread: the other core compiles and simulates.
    fp32_outputs_ = execute(model_, inputs_, {.keep = Keep::outputs, .threads = 1, .observer = {}});
    evaluate_numeric();
  } catch (const Abandoned&) {
  } catch (...) {
    fault_ = std::current_exception();
  }
  seconds_ += working.seconds();
}

void ReferenceRun::evaluate_numeric() {
  ExecuteOptions options;
  options.threads = 1;
  options.observer = [this](const Operator& op, const std::vector<Value*>& outputs) {
    if (abandoned_) throw Abandoned{};
    const Stopwatch comparing;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != nullptr) verifier_.from_reference(numeric_.tensor(op.outputs[i]).name, *outputs[i]);
    }
    seconds_ -= comparing.seconds();  // comparing, and waiting for the machine
  };
  execute(numeric_, inputs_, options);
}

}  // namespace accord
