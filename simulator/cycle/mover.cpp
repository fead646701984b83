#include "simulator/cycle/mover.h"

#include <algorithm>

#include "simulator/modules/datapath.h"
#include "simulator/modules/ways.h"

namespace accord::sim::cycle {

BeatMover::BeatMover(const sc_core::sc_module_name& name, RunState& run, Schedule& schedule, const Ports& ports,
                     int index, std::vector<Way> ways)
    : UnitModule(name, run, index, {}, account_of(run)),
      schedule_(schedule),
      ports_(ports),
      ways_(std::move(ways)),
      setup_(spec().period.cycles(spec().setup)),
      pace_(spec().period),
      slots_(static_cast<std::size_t>(std::max(1, spec().in_flight)), 0) {}

void BeatMover::begin(Operation& operation, Time at) {
  setting_up_ = &operation;
  setup_end_ = at + setup_;
  if (!streaming_) stream();
}

void BeatMover::stream() {
  streaming_ = setting_up_;
  setting_up_ = nullptr;
  next_start_ = std::max(setup_end_, after_last_);
  schedule_.at(next_start_, [this] { begin_stream(); });
}

void BeatMover::begin_stream() {
  Operation& operation = *streaming_;
  const Mnemonic& mnemonic = run_.architecture.isa.mnemonics[static_cast<std::size_t>(operation.mnemonic)];
  route_ = mnemonic.meaning == Meaning::transfer ? &spec().routes[static_cast<std::size_t>(mnemonic.route)] : nullptr;
  way_ = route_ ? &ways_[static_cast<std::size_t>(mnemonic.route)] : &ways_.back();
  account(Leaves::setup, now());
  Stream& stream = streams_.emplace_back();
  stream.operation = &operation;
  stream.first = earliest_ = now();
  if (!route_) begin_sweeps(stream);
  if (!operation.shape->filling.boxes.empty()) begin_fill(stream);
  cursor_.start(operation, spec().request);
  if (cursor_.done()) return end_presenting();
  if (operation.shape->walk.gather >= 0) read_list();
  if (!run_.hazards.fatal) arm();
}

void BeatMover::begin_sweeps(Stream& stream) {
  const OperationShape& shape = *stream.operation->shape;
  after_last_ = std::max(after_last_, now() + shape.start + shape.interval);
  source_latency_ = 0;
  for (const AccessShape& access : shape.accesses) {
    const MemoryPorts& memory = *ports_[static_cast<std::size_t>(access.memory)];
    if (access.reads && !memory.off_chip()) source_latency_ = std::max(source_latency_, memory.latency());
  }
  auto streams = word_streams(*stream.operation, ports_, true);
  stream.sweeps = streams.size();
  for (WordStream& words : streams) {
    const Cycle from = now() + (words.write ? source_latency_ : 0);
    schedule_.at(from, [this, &stream, words = std::move(words)]() mutable {
      sweep(schedule_, std::move(words), [this, &stream](Cycle end) {
        stream.swept = std::max(stream.swept, end);
        if (--stream.sweeps == 0) retire();
      });
    });
  }
}

void BeatMover::begin_fill(Stream& stream) {
  Flight& flight = flights_.emplace_back();
  flight.operation = stream.operation;
  flight.filling = true;
  flight.last = stream.operation->shape->requests.empty();
  flight.presented = now();
  flight.slot = slots_.size();  // takes none
  place_filled_words(flight, ports_);
  if (is_next(flight)) write_held(flight);
}

// The list as it is in this cycle; its words pass the read ports one after the other.
void BeatMover::read_list() {
  Operation& operation = *streaming_;
  run_.agenda.drain(now(), operation.id);
  if (!run_.read_list(operation, now())) return;
  const AccessShape& access = operation.shape->accesses.back();
  MemoryPorts& from = *ports_[static_cast<std::size_t>(access.memory)];
  word_ready_.clear();
  for_each_word(from.word(), operation.low(access), access.footprint.extent, [&](std::int64_t at, std::int64_t) {
    word_ready_.push_back(from.access(false, at, now()).first + from.latency());
  });
}

// When the last index that the next request needs is there.
Cycle BeatMover::index_ready() const {
  const OperationShape& shape = *streaming_->shape;
  std::int64_t inside = 1;
  for (int d = 0; d < shape.walk.gather; ++d) inside *= shape.walk.dims[static_cast<std::size_t>(d)].count;
  const std::int64_t steps = shape.list.entries;
  const std::int64_t first = cursor_.first() / inside, last = (cursor_.first() + cursor_.bytes() - 1) / inside;
  const std::int64_t entry = first / steps == last / steps ? last % steps : steps - 1;
  const AccessShape& list = shape.accesses.back();
  const std::int64_t size = bytes(shape.list.type), address = streaming_->low(list);
  const std::int64_t word = ports_[static_cast<std::size_t>(list.memory)]->word();
  return word_ready_[static_cast<std::size_t>((address + (entry + 1) * size - 1) / word - address / word)];
}

// Asks for the next presentation, where it is known when that can be.
void BeatMover::arm() {
  if (armed_ || !streaming_ || streams_.empty() || streams_.back().operation != streaming_) return;
  if (slots_[slot_] == unknown) return;
  Cycle at = std::max({earliest_, pace_.next(), slots_[slot_], now()});
  if (streaming_->shape->walk.gather >= 0) at = std::max(at, index_ready());
  armed_ = true;
  schedule_.at(at, [this] { present(); });
}

void BeatMover::present() {
  armed_ = false;
  Flight& flight = flights_.emplace_back();
  flight.operation = streaming_;
  flight.request = cursor_.next();
  flight.last = cursor_.done();
  flight.presented = now();
  flight.slot = slot_;
  slots_[slot_] = unknown;
  slot_ = (slot_ + 1) % slots_.size();
  earliest_ = now();
  pace_.take(now());
  after_last_ = std::max(after_last_, pace_.next());
  place_words(flight, ports_);
  if (flight.fresh > 0) {
    launch(flight);
  } else if (is_next(flight)) {
    write_held(flight);
  }
  if (cursor_.done()) return end_presenting();
  arm();
}

void BeatMover::end_presenting() {
  if (streams_.back().operation->shape->requests.empty() && streams_.back().operation->shape->filling.boxes.empty()) {
    streams_.back().flown = true;
  }
  streaming_ = nullptr;
  if (setting_up_) stream();
  retire();
  wake(now());
}

void BeatMover::launch(Flight& flight) {
  const bool write = flight.request.pattern->write;
  const int side = flight.operation->shape->accesses[static_cast<std::size_t>(flight.request.pattern->access)].memory;
  const Route* const like = route_ ? route_ : capability_route(spec());
  flight.way = way_;
  flight.crossing = like ? like->crossing : 0;
  for (std::size_t hop = 0; hop < way_->size(); ++hop) {
    Passage& passage = flight.hops.emplace_back();
    passage.presented = now();
    passage.unit = index();
    passage.way = way_of(run_.architecture, spec(), route_, hop, write, side);
    passage.bytes = flight.fresh;
    passage.last = hop + 1 == way_->size();
    passage.arrive = [this, &flight, hop](std::int64_t passed) {
      if (hop + 1 < flight.hops.size()) return feed(flight, hop + 1, passed);
      schedule_.at(now() + flight.crossing, [this, &flight, passed] { deliver(flight, passed); });
    };
  }
  account(Leaves::memory_latency, now());
  if (flight.source.empty()) {
    schedule_.at(now() + source_latency_, [this, &flight] { feed(flight, 0, flight.fresh); });
  }
  Cycle end = now();  // bytes pass the links in their order, whichever bank is the faster
  for (const WordOfRequest& word : flight.source) {
    end = std::max(end, word.memory->access(false, word.address, now()).end);
    account(Leaves::port, end - 1);
    schedule_.at(end - 1 + word.memory->latency(), [this, &flight, until = word.until] { feed(flight, 0, until); });
  }
}

void BeatMover::feed(Flight& flight, std::size_t hop, std::int64_t available) {
  Passage& passage = flight.hops[hop];
  BeatLink& link = *(*flight.way)[hop];
  if (hop == 0) account(Leaves::memory_latency, now());
  if (passage.available == 0) link.enter(passage);
  passage.available = std::max(passage.available, available);
  link.wake(now());
}

// So many bytes have reached the target in this cycle: words that are complete go to their ports.
void BeatMover::deliver(Flight& flight, std::int64_t passed) {
  account(Leaves::link, now());
  account(Leaves::working, now() + 1);
  const std::int64_t before = flight.leaving;
  flight.delivered = passed;
  Cycle end = now() + 1;
  for (; flight.written < flight.target.size() && flight.target[flight.written].until <= passed; ++flight.written) {
    const WordOfRequest& word = flight.target[flight.written];
    end = std::max(end, word.memory->access(true, word.address, now()).end);
    flight.leaving = word.until;
  }
  if (passed == flight.fresh || flight.target.empty()) flight.leaving = passed;
  flight.arrival = std::max(flight.arrival, end);
  if (BeatLink& link = *flight.way->back(); link.has_fifo()) {
    const LinkModule::Way way = flight.hops.back().way;
    // The FIFO holds what waits for a port; the target collects the word that is not complete, wider ones than the
    // FIFO.
    const std::int64_t held = flight.leaving - before;
    link.hold(way, held);
    schedule_.at(end - 1, [&link, way, held] {
      link.hold(way, -held);
      link.wake(now());
    });
  }
  if (passed == flight.fresh) land(flight);
}

// What the mover holds goes to the target alone, once all before has arrived.
void BeatMover::write_held(Flight& flight) {
  flight.begun = true;
  schedule_.at(std::max(flight.presented, arrived_), [this, &flight] {
    account(Leaves::memory_latency, now());
    flight.arrival = now();
    for (const WordOfRequest& word : flight.target)
      flight.arrival = std::max(flight.arrival, word.memory->access(true, word.address, now()).end);
    account(Leaves::working, flight.arrival);
    land(flight);
  });
}

void BeatMover::land(Flight& flight) {
  flight.arrived = true;
  retire();
}

// Requests arrive in order, those of an operation after what a capability before it does.
void BeatMover::retire() {
  do {
    while (!flights_.empty() && flights_.front().arrived && is_next(flights_.front())) retire_first();
  } while (end_stream());
  if (!flights_.empty()) {
    Flight& next = flights_.front();
    if (next.fresh == 0 && !next.begun && is_next(next)) write_held(next);
  }
  arm();
}

bool BeatMover::is_next(const Flight& flight) const {
  return &flight == &flights_.front() && flight.operation == streams_.front().operation;
}

void BeatMover::retire_first() {
  const Flight& flight = flights_.front();
  Operation& operation = *flight.operation;
  arrived_ = std::max(arrived_, flight.arrival);
  if (flight.slot < slots_.size()) slots_[flight.slot] = arrived_;
  if (operation.shape->placements.empty()) {
    ++operation.holds;
    const std::int64_t first = flight.filling ? Agenda::filled : flight.request.first;
    run_.agenda.add({arrived_, operation.id, &operation, -1, first, flight.filling ? 0 : first + flight.request.bytes});
  }
  if (flight.last) streams_.front().flown = true;
  flights_.pop_front();
}

bool BeatMover::end_stream() {
  if (streams_.empty() || !streams_.front().flown || streams_.front().sweeps > 0) return false;
  const Stream stream = streams_.front();
  Operation& operation = *stream.operation;
  const OperationShape& shape = *operation.shape;
  streams_.pop_front();
  Cycle done = std::max(stream.first, arrived_);
  if (!shape.placements.empty()) {
    done = std::max({done, stream.swept, stream.first + shape.start + shape.interval}) + shape.drain;
    arrived_ = std::max(arrived_, done);
    ++operation.holds;
    run_.agenda.add({done, operation.id, &operation, -1, 0, 0});
  }
  operation.done = Time(done);
  resolve(operation);
  wake(now());
  return true;
}

}  // namespace accord::sim::cycle
