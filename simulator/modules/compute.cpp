#include "simulator/modules/compute.h"

#include <algorithm>

namespace accord::sim {

/// Of a port on a slower clock, a word is there some cycles after the unit's first one.
Cycle Compute::until_first_word(const MemoryModule& memory) const {
  return std::max<Cycle>(0, memory.word_cycles() - spec().period.cycles(1));
}

/// Results follow what is read, however long that takes.
Time Compute::first_written(Time begun, Time read, Time done, Time reading, const OperationShape& shape) {
  DependenceGraph& graph = run_.graph;
  const Cycle written = std::max<Cycle>(1, shape.interval), stretch = read.at - begun.at;
  const Time passed = graph.after(begun, Delay(Cause::drain, index(), shape.drain));
  if (stretch > written) return passed;
  // Two ways to the same cycle: where the interval were halved, the stretch that is read would be the longer of the
  // two.
  if (2 * stretch > written)
    return graph.later_after(passed, -Delay(Cause::interval, index(), written - stretch), reading);
  return graph.later_after(done, -Delay(Cause::interval, index(), written), reading);
}

void Compute::begin(Operation& operation, Time at) {
  DependenceGraph& graph = run_.graph;
  const OperationShape& shape = *operation.shape;
  const Delay start(Cause::start, index(), shape.start), interval(Cause::interval, index(), shape.interval);
  const Time reading = graph.later(graph.after(at, start), read_until_);
  Time read = graph.after(reading, interval), begun = reading;
  free_ = graph.after(at, interval);
  for (const AccessShape& access : shape.accesses) {
    if (!access.reads) continue;
    MemoryModule& from = memory(access.memory);
    const TimeSlot passed = from.access(false, operation.base_of(access), access.footprint, reading);
    begun = graph.later(begun, graph.after(passed.first, {Cause::fixed, 0, until_first_word(from)}));
    read = graph.later(read, passed.end);
  }
  const Delay drain(Cause::drain, index(), shape.drain);
  operation.done = graph.after(read, drain);
  const Time writing = first_written(begun, read, operation.done, reading, shape);
  for (const AccessShape& access : shape.accesses) {
    if (!access.writes) continue;
    const TimeSlot passed =
        memory(access.memory).access(true, operation.base_of(access), access.footprint, writing, interval);
    operation.done = graph.later(operation.done, passed.end);
  }
  free_ = graph.later_after(read, -start, free_);
  account_.spend(Leaves::working, at + shape.useful);
  account_.spend(Leaves::padding, at + shape.interval);
  account_.spend(Leaves::port, free_);
  read_until_ = read;
  if (!run_.in_order) {
    ++operation.holds;
    run_.agenda.add({read_until_, operation.id, &operation, -1, 0, 0});
  }
  resolve(operation);
}

}  // namespace accord::sim
