#include "simulator/cycle/compute.h"

#include <algorithm>

#include "simulator/modules/datapath.h"

namespace accord::sim::cycle {

namespace {

/// The words that belong to one of `steps` steps.
std::pair<std::size_t, std::size_t> share(std::size_t words, Cycle step, Cycle steps) {
  const auto first = [&](Cycle s) {
    return static_cast<std::size_t>((s * static_cast<Cycle>(words) + steps - 1) / steps);
  };
  return {first(step), first(step + 1)};
}

/// When a step begins, from the first one's begin on: of those of a clock quicker than the reference, several begin in
/// the cycle in which they end.
Cycle begin_of(Cycle step, const Period& own) {
  return own.numerator < own.denominator ? own.cycles(step + 1) - 1 : own.cycles(step);
}

}  // namespace

StepCompute::StepCompute(const sc_core::sc_module_name& name, RunState& run, Schedule& schedule, const Ports& ports,
                         int index)
    : UnitModule(name, run, index, {}, account_of(run)), schedule_(schedule), ports_(ports) {}

void StepCompute::begin(Operation& operation, Time at) {
  const OperationShape& shape = *operation.shape;
  auto work = std::make_unique<Work>();
  work->operation = &operation;
  work->streams = word_streams(operation, ports_, false);
  Cycle longest = shape.interval;
  for (const WordStream& stream : work->streams) {
    if (!stream.write) longest = std::max(longest, stream.memory->least_cycles(false, std::ssize(stream.addresses)));
  }
  work->steps = std::max<Cycle>(1, longest * spec().period.denominator / spec().period.numerator);
  work->reading = std::max(entered_, at + shape.start);
  entered_ = work->reading + shape.interval;
  start_ = shape.start;
  account_.spend(Leaves::working, at + shape.useful);
  account_.spend(Leaves::padding, at + shape.interval);
  entering_.push_back(std::move(work));
  if (entering_.size() == 1) enter();
}

void StepCompute::enter() {
  schedule_.at(entering_.front()->reading, [this] { step(); });
}

void StepCompute::step() {
  Work& work = *entering_.front();
  const Period& own = spec().period;
  const bool rows = work.operation->shape->interval > 0;
  const bool in_time = now() == work.reading + begin_of(work.step, own);
  Cycle taken = now(), read = now();
  if (rows) read = in_time ? work.reading + own.cycles(work.step + 1) : now() + own.cycles(1);
  for (const WordStream& stream : work.streams) {
    if (stream.write) continue;
    const auto [first, last] = share(stream.addresses.size(), work.step, work.steps);
    for (std::size_t w = first; w < last; ++w) {
      const Timeline::Slot slot = stream.memory->access(false, stream.addresses[w], now());
      taken = std::max(taken, slot.first);
      read = std::max(read, slot.end);
    }
  }
  work.read = std::max(work.read, read);
  postpone(work.read);
  const Cycle step = work.step++, entered = std::max(now(), read - own.cycles(1));
  schedule_.at(entered + work.operation->shape->drain, [this, &work, step] { write(work, step); });
  if (work.step == work.steps) return end_reading();
  schedule_.at(std::max(work.reading + begin_of(work.step, own), taken), [this] { this->step(); });
}

// The rows behind cannot enter before.
void StepCompute::postpone(Cycle until) {
  Work& work = *entering_.front();
  const Cycle planned = work.reading + work.operation->shape->interval;
  if (until <= planned) return;
  Cycle next = until;
  for (std::size_t w = 1; w < entering_.size(); ++w) {
    Work& behind = *entering_[w];
    behind.reading = std::max(behind.reading, next);
    next = behind.reading + behind.operation->shape->interval;
  }
  entered_ = std::max(entered_, next);
}

void StepCompute::end_reading() {
  Work& work = *entering_.front();
  work.read = std::max(work.read, work.reading + work.operation->shape->interval);
  account_.spend(Leaves::port, work.read - work.operation->shape->start);
  ++work.operation->holds;
  run_.agenda.add({work.read, work.operation->id, work.operation, -1, 0, 0});
  draining_.push_back(std::move(entering_.front()));
  entering_.pop_front();
  if (!entering_.empty()) enter();
  wake(now());
}

void StepCompute::write(Work& work, Cycle step) {
  Operation& operation = *work.operation;
  Cycle end = now();
  for (const WordStream& stream : work.streams) {
    if (!stream.write) continue;
    const auto [first, last] = share(stream.addresses.size(), step, work.steps);
    for (std::size_t w = first; w < last; ++w)
      end = std::max(end, stream.memory->access(true, stream.addresses[w], now()).end);
  }
  work.written = std::max(work.written, end);
  if (++work.drained < work.steps) return;
  operation.done = Time(std::max(work.read + operation.shape->drain, work.written));
  work.over = true;
  end_draining();
}

// Signals count on operations that end in their order; ranges are free as soon as they are.
void StepCompute::end_draining() {
  const bool in_turn = run_.architecture.sync.kind == Sync::Kind::semaphores;
  for (auto work = draining_.begin(); work != draining_.end();) {
    if (!(*work)->over && in_turn) break;
    if (!(*work)->over) {
      ++work;
      continue;
    }
    Operation& operation = *(*work)->operation;
    work = draining_.erase(work);
    resolve(operation);
  }
  wake(now());
}

}  // namespace accord::sim::cycle
