#include "simulator/cycle/flight.h"

#include <algorithm>

#include "simulator/kernels/walk_cursor.h"

namespace accord::sim::cycle {

namespace {

void add_words(std::vector<WordOfRequest>& words, const Ports& ports, int memory, std::int64_t address,
               std::int64_t bytes, std::int64_t before) {
  MemoryPorts& there = *ports[static_cast<std::size_t>(memory)];
  for_each_word(there.word(), address, bytes, [&](std::int64_t at, std::int64_t end) {
    words.push_back({&there, at, before + end});
  });
}

void place_transfer(Flight& flight, const Ports& ports) {
  const Operation& operation = *flight.operation;
  const OperationShape& shape = *operation.shape;
  const Request& request = flight.request;
  const bool write = request.pattern->write;
  const int from = shape.accesses[0].memory;
  std::int64_t done = 0;  // of the request
  WalkCursor walk;
  walk.start(operation, request.first);
  walk.advance(request.bytes, [&](std::int64_t s, std::int64_t t, std::int64_t n) {
    const bool held = write ? walk.repeats() : request.repeat;
    if (!held && write) add_words(flight.source, ports, from, operation.base[0] + s, n, flight.fresh);
    if (!held) flight.fresh += n;
    for (const AccessShape& target : targets_of(shape)) {
      if (!write) add_words(flight.target, ports, target.memory, operation.base[1] + t, n, done);
    }
    done += n;
  });
  // The off-chip side is contiguous whatever pieces the other one has.
  if (!write && flight.fresh > 0) add_words(flight.source, ports, from, request.address, request.bytes, 0);
  for (const AccessShape& target : targets_of(shape)) {
    if (write) add_words(flight.target, ports, target.memory, request.address, request.bytes, 0);
  }
  for (WordOfRequest& word : flight.target) {
    word.until = flight.fresh == 0 ? 0 : (word.until * flight.fresh + request.bytes - 1) / request.bytes;
  }
  std::ranges::stable_sort(flight.target, {}, &WordOfRequest::until);
}

}  // namespace

void place_words(Flight& flight, const Ports& ports) {
  const OperationShape& shape = *flight.operation->shape;
  if (shape.placements.empty()) return place_transfer(flight, ports);
  const Request& request = flight.request;
  const int memory = shape.accesses[static_cast<std::size_t>(request.pattern->access)].memory;
  flight.fresh = request.bytes;
  add_words(request.pattern->write ? flight.target : flight.source, ports, memory, request.address, request.bytes, 0);
}

void place_filled_words(Flight& flight, const Ports& ports) {
  const Operation& operation = *flight.operation;
  for (const AccessShape& target : targets_of(*operation.shape)) {
    for (const Footprint& box : operation.shape->filling.boxes) {
      for_each_run(box, operation.base[1], [&](std::int64_t address, std::int64_t bytes) {
        add_words(flight.target, ports, target.memory, address, bytes, 0);
      });
    }
  }
  for (WordOfRequest& word : flight.target) word.until = 0;
}

}  // namespace accord::sim::cycle
