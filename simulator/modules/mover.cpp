#include "simulator/modules/mover.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <set>
#include <span>

#include "simulator/modules/ways.h"

namespace accord::sim {

namespace {

/// Memories that transfers of a unit read or write, ascending.
std::vector<int> route_ends(const Unit& unit) {
  std::set<int> ends;
  for (const Route& route : unit.routes) {
    ends.insert({route.source, route.target});
    ends.insert(route.also.begin(), route.also.end());
  }
  return {ends.begin(), ends.end()};
}

}  // namespace

Mover::Mover(const sc_core::sc_module_name& name, RunState& run, int index, std::span<MemoryModule* const> memories,
             StallAccount account, std::vector<std::vector<LinkModule*>> ways)
    : UnitModule(name, run, index, memories, std::move(account)),
      socket("socket"),
      ways_(std::move(ways)),
      setup_(spec().period.cycles(spec().setup)),
      capability_route_(capability_route(spec())),
      arrivals_(static_cast<std::size_t>(std::max(1, spec().in_flight))),
      reached_(route_ends(spec())) {
  run.graph.rates().of(Cause::request, index).places = std::ssize(arrivals_);
  for (const int m : reached_) socket.bind(memory(m).socket);
  for (const auto& way : ways_) way.front()->attach(*this);
}

void Mover::start_of_simulation() {
  for (int s = 0; s < static_cast<int>(reached_.size()); ++s) {
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi granted;
    [[maybe_unused]] const bool direct = socket[s]->get_direct_mem_ptr(payload, granted);
    assert(direct && granted.is_read_write_allowed());
    direct_.push_back(reinterpret_cast<std::byte*>(granted.get_dmi_ptr()));
  }
}

std::byte* Mover::direct(int memory) const {
  return direct_[static_cast<std::size_t>(std::ranges::lower_bound(reached_, memory) - reached_.begin())];
}

void Mover::begin(Operation& operation, Time at) {
  setting_up_ = &operation;
  setup_end_ = run_.graph.after(at, {Cause::setup, index(), setup_});
  if (!streaming_) stream();
}

void Mover::stream() {
  streaming_ = setting_up_;
  setting_up_ = nullptr;
  const OperationShape& shape = *streaming_->shape;
  const Mnemonic& mnemonic = run_.architecture.isa.mnemonics[static_cast<std::size_t>(streaming_->mnemonic)];
  route_ = mnemonic.meaning == Meaning::transfer ? &spec().routes[static_cast<std::size_t>(mnemonic.route)] : nullptr;
  way_ = route_ ? &ways_[static_cast<std::size_t>(mnemonic.route)] : &ways_.back();
  pattern_ = nullptr;
  run_.graph.work_for(index(), streaming_->instruction);
  first_ = next_start_ = run_.graph.later(setup_end_, after_last_);
  if (first_.at > after_last_.at) beats_ = 0;
  account_.spend(Leaves::setup, first_);
  if (!shape.placements.empty()) {
    reserve_on_chip_ports();
    after_last_ = run_.graph.later(after_last_, pipelined());
  }
  if (!shape.filling.boxes.empty()) fill_ports();
  cursor_.start(*streaming_, spec().request);
  if (cursor_.done()) return finish();
  compete(cursor_.pattern());
  reads_list_ = shape.walk.gather >= 0;
  if (route_ && !reads_list_) walk_.start(*streaming_, 0);
  next_ = reads_list_ ? first_ : take_place(first_);
  if (next_.at > first_.at) beats_ = 0;
  if (!run_.in_order) return way_->front()->wake(next_);
  if (reads_list_) read_list();
  while (streaming_ && !run_.hazards.fatal) present();
}

Cycle Mover::next_beat() const {
  const OperationShape& shape = *streaming_->shape;
  const auto latency = [&](std::size_t access) { return memory(shape.accesses[access].memory).latency(); };
  if (!pattern_->write) return next_presentation() + latency(static_cast<std::size_t>(pattern_->access));
  if (shape.placements.empty()) return next_presentation() + latency(0);
  Cycle slowest = 0;
  for (const int source : on_chip_sources_) slowest = std::max(slowest, memory(source).latency());
  return next_presentation() + slowest;
}

/// To the next presentation: cycles of its own clock follow one another, each begins in a whole one of the reference.
Cycle Mover::beat() {
  const Cycle before = spec().period.cycles(beats_);
  return spec().period.cycles(++beats_) - before;
}

// Of the requests under way: at the earliest `after` cycles from then, once the oldest of them has arrived.
Time Mover::take_place(Time from, Cycle after) const {
  return run_.graph.later_in_place(from, {Cause::request, index(), after}, arrivals_[oldest_]);
}

// When a capability's statements would be done with one operand word after the other.
Time Mover::pipelined() const {
  const OperationShape& shape = *streaming_->shape;
  const Time started = run_.graph.after(first_, {Cause::start, index(), shape.start});
  return run_.graph.after(started, {Cause::interval, index(), shape.interval});
}

// The list as it is at this cycle; its words pass the read ports one by one.
void Mover::read_list() {
  reads_list_ = false;
  run_.agenda.drain(next_, streaming_->id);
  if (!run_.read_list(*streaming_, next_)) return;
  walk_.start(*streaming_, 0);
  const AccessShape& access = streaming_->shape->accesses.back();
  MemoryModule& from = memory(access.memory);
  const std::int64_t address = streaming_->low(access), word = from.word();
  word_ready_.clear();
  Time at = next_;
  for (std::int64_t w = 0; w < from.words(address, access.footprint.extent); ++w) {
    at = from.access(false, std::max(address, (address / word + w) * word), 1, 1, at).first;
    word_ready_.push_back(from.after_latency(at));
  }
  account_.spend(Leaves::port, word_ready_.front() - from.latency());
  next_ = run_.graph.later(take_place(next_), index_ready());
  beats_ = 0;
}

// When the last index that the next request needs is there.
Time Mover::index_ready() const {
  const OperationShape& shape = *streaming_->shape;
  const auto dim = static_cast<std::size_t>(shape.walk.gather);
  const std::int64_t steps = shape.walk.dims[dim].count;
  std::int64_t inside = 1;
  for (std::size_t d = 0; d < dim; ++d) inside *= shape.walk.dims[d].count;
  const std::int64_t first = cursor_.first() / inside, last = (cursor_.first() + cursor_.bytes() - 1) / inside;
  const std::int64_t step = first / steps == last / steps ? last % steps : steps - 1;
  const AccessShape& list = shape.accesses.back();
  const std::int64_t size = bytes(shape.list.type), address = streaming_->low(list);
  const std::int64_t word = memory(list.memory).word();
  return word_ready_[static_cast<std::size_t>((address + (step + 1) * size - 1) / word - address / word)];
}

// Through the target's ports alone, once all that came before has arrived.
void Mover::fill_ports() {
  const Time from = run_.graph.later(first_, arrived_);
  Time end = from;
  for (const AccessShape& target : targets_of(*streaming_->shape)) {
    MemoryModule& to = memory(target.memory);
    for (const Footprint& box : streaming_->shape->filling.boxes)
      end = run_.graph.later(end, to.access(true, streaming_->base[1], box, from).end);
  }
  account_.spend(Leaves::memory_latency, from);
  account_.spend(Leaves::working, end);
  arrived_ = end;
  if (run_.in_order) return;
  ++streaming_->holds;
  run_.agenda.add({arrived_, streaming_->id, streaming_, -1, Agenda::filled, 0});
}

void Mover::reserve_on_chip_ports() {
  ports_end_ = first_;
  on_chip_sources_.clear();
  for (const bool write : {false, true}) {
    for (const AccessShape& access : streaming_->shape->accesses) {
      MemoryModule& used = memory(access.memory);
      if (used.off_chip() || !(write ? access.writes : access.reads)) continue;
      const Time from = write ? after_source(first_) : first_;
      ports_end_ =
          run_.graph.later(ports_end_, used.access(write, streaming_->base_of(access), access.footprint, from).end);
      const bool known = std::ranges::find(on_chip_sources_, access.memory) != on_chip_sources_.end();
      if (!write && !known) on_chip_sources_.push_back(access.memory);
    }
  }
}

// What a capability reads on chip is there.
Time Mover::after_source(Time time) const {
  Time there = time;
  for (const int source : on_chip_sources_) there = run_.graph.later(there, memory(source).after_latency(time));
  return there;
}

void Mover::present() {
  DependenceGraph& graph = run_.graph;
  graph.work_for(index(), streaming_->instruction);
  const Request request = cursor_.next();
  arrived_ = graph.later(arrived_, pass(request));
  arrivals_[oldest_] = arrived_;
  if (++oldest_ == arrivals_.size()) oldest_ = 0;
  const bool transfer = streaming_->shape->placements.empty();
  if (transfer && !run_.in_order) {
    ++streaming_->holds;
    run_.agenda.add({arrived_, streaming_->id, streaming_, -1, request.first, request.first + request.bytes});
  }
  if (cursor_.done()) {
    after_last_ = graph.later_after(next_, {Cause::request, index(), beat()}, after_last_);
    return finish();
  }
  if (&cursor_.pattern() != pattern_) compete(cursor_.pattern());
  const Cycle last = next_.at, step = beat();
  next_ = take_place(next_, step);
  if (streaming_->shape->walk.gather >= 0) next_ = graph.later(next_, index_ready());
  if (next_.at > last + step) beats_ = 0;
}

// What the mover still holds goes to the target alone.
Time Mover::repeat(const Request& request) {
  const AccessShape& there = streaming_->shape->accesses[1];
  std::int64_t address = 0, words = 0;
  walk_.advance(request.bytes, [&](std::int64_t, std::int64_t t, std::int64_t n) {
    if (words == 0) address = streaming_->base[1] + t;
    words += memory(there.memory).words(streaming_->base[1] + t, n);
  });
  const Time from = run_.graph.later(next_, arrived_);
  account_.spend(Leaves::memory_latency, from);
  Time end = from;
  store(request, address, words, from, end);
  account_.spend(Leaves::working, end);
  return end;
}

// From source memory over the link into the target memory; returns the arrival.
Time Mover::pass(const Request& request) {
  const OperationShape& shape = *streaming_->shape;
  const bool transfer = shape.placements.empty();
  const bool write = request.pattern->write;
  if (transfer && !write && request.repeat) return repeat(request);
  const AccessShape& side = shape.accesses[static_cast<std::size_t>(request.pattern->access)];
  MemoryModule& here = memory(side.memory);
  const std::int64_t words = here.words(request.address, request.bytes);
  std::int64_t there_address = 0, there_words = 0;
  std::int64_t fresh = request.bytes;  // that the mover does not hold yet
  const AccessShape* there = nullptr;
  if (transfer) {
    there = &shape.accesses[write ? 0 : 1];
    const MemoryModule& far = memory(there->memory);
    const std::int64_t base = streaming_->base[write ? 0 : 1];
    walk_.advance(request.bytes, [&](std::int64_t s, std::int64_t t, std::int64_t n) {
      if (write && walk_.repeats()) {
        fresh -= n;
        return;
      }
      const std::int64_t address = base + (write ? s : t);
      if (there_words == 0) there_address = address;
      there_words += far.words(address, n);
    });
  }
  if (fresh == 0) {
    const Time from = run_.graph.later(next_, arrived_);
    account_.spend(Leaves::memory_latency, from);
    const Time end = here.access(true, request.address, request.bytes, words, from).end;
    account_.spend(Leaves::working, end);
    return end;
  }
  account_.spend(Leaves::memory_latency, next_);
  const MemoryModule* source = transfer ? &memory(shape.accesses[0].memory) : write ? nullptr : &here;
  TimeSlot read;
  if (!write) {
    read = here.access(false, request.address, request.bytes, words, next_);
  } else if (transfer) {
    read = memory(there->memory).access(false, there_address, fresh, there_words, next_);
  } else {
    read = {next_, run_.graph.after(next_, {Cause::request, index(), 1})};
  }
  account_.spend(Leaves::port, read.first);
  const Time first = source ? source->after_latency(read.first) : after_source(read.first);
  account_.spend(Leaves::memory_latency, first);
  const Passage passage = cross(fresh, first, source ? source->after_latency(read.end) : after_source(read.end));
  Time arrival = passage.last_there;
  if (write) {
    arrival = run_.graph.later(here.written(arrival),
                               here.access(true, request.address, request.bytes, words, passage.first_there).end);
  } else if (transfer) {
    store(request, there_address, there_words, passage.first_there, arrival);
    for (const AccessShape& target : targets_of(shape))
      arrival = run_.graph.later(arrival, memory(target.memory).written(passage.last_there));
  }
  way_->back()->hold(competes_.back(), fresh, passage.beats, arrival);
  return arrival;
}

void Mover::compete(const RequestPattern& pattern) {
  pattern_ = &pattern;
  competes_.clear();
  const int here = streaming_->shape->accesses[static_cast<std::size_t>(pattern.access)].memory;
  for (std::size_t l = 0; l < way_->size(); ++l)
    competes_.push_back(way_of(run_.architecture, spec(), route_, l, pattern.write, here));
}

// Beat by beat over the links of the way; from `first` to `last` the source gives the bytes.
Mover::Passage Mover::cross(std::int64_t bytes, Time first, Time last) {
  DependenceGraph& graph = run_.graph;
  const Route* const like = route_ ? route_ : capability_route_;
  Passage passage{{first, first}, first, last};
  Cycle latency = 0, begin = first.at, end = first.at;  // seen from the way's begin
  for (std::size_t l = 0; l < way_->size(); ++l) {
    LinkModule& link = *(*way_)[l];
    passage.beats = link.pass(competes_[l], bytes, passage.first_there);
    passage.first_there = graph.after(passage.beats.first, link.latency());
    passage.last_there = graph.after(graph.later(passage.last_there, passage.beats.end), link.latency());
    begin = passage.beats.first.at - latency;
    end = std::max(end, passage.beats.end.at - latency);
    latency += link.latency().cycles;
  }
  if (like) {
    const Delay crossing(Cause::crossing, index(), like->crossing);
    passage.first_there = graph.after(passage.first_there, crossing);
    passage.last_there = graph.after(passage.last_there, crossing);
  }
  account_.spend(Leaves::link, begin);
  account_.spend(Leaves::working, end);
  return passage;
}

// Into every target of a transfer.
void Mover::store(const Request& request, std::int64_t address, std::int64_t words, Time from, Time& arrival) {
  for (const AccessShape& target : targets_of(*streaming_->shape)) {
    arrival = run_.graph.later(arrival, memory(target.memory).access(true, address, request.bytes, words, from).end);
  }
}

void Mover::finish() {
  Operation& operation = *streaming_;
  const OperationShape& shape = *operation.shape;
  const bool transfer = shape.placements.empty();
  DependenceGraph& graph = run_.graph;
  operation.done = graph.later(first_, arrived_);
  if (!transfer) {
    const Time last = graph.later(graph.later(operation.done, ports_end_), pipelined());
    operation.done = graph.after(last, {Cause::drain, index(), shape.drain});
    arrived_ = graph.later(arrived_, operation.done);
    if (!run_.in_order) {
      ++operation.holds;
      run_.agenda.add({operation.done, operation.id, &operation, -1, 0, 0});
    }
  }
  streaming_ = nullptr;
  resolve(operation);
  if (run_.in_order) return;
  if (setting_up_) stream();
  wake(now());
}

// The source's own memory last: what is written there may be what is read.
void Mover::find_targets(const Operation& operation) {
  const int source = operation.shape->accesses[0].memory;
  targets_.clear();
  for (const bool own : {false, true}) {
    for (const AccessShape& target : targets_of(*operation.shape)) {
      if ((target.memory == source) == own)
        targets_.push_back({direct(target.memory), &run_.evaluator.store(target.memory)});
    }
  }
}

void Mover::write(std::int64_t address, const std::byte* from, std::int64_t length) {
  for (const Target& target : targets_) {
    std::memmove(target.bytes + address, from, static_cast<std::size_t>(length));
    target.store->mark_written(address, length);
  }
}

void Mover::move(const Operation& operation, std::int64_t first, std::int64_t last) {
  find_targets(operation);
  if (first == Agenda::filled) return fill(operation);
  const int source = operation.shape->accesses[0].memory;
  const std::byte* const from = direct(source) + operation.base[0];
  for_each_piece(operation, first, last, [&](std::int64_t s, std::int64_t t, std::int64_t n) {
    run_.evaluator.check_read(operation, source, operation.base[0] + s, n);
    write(operation.base[1] + t, from + s, n);
  });
}

void Mover::fill(const Operation& operation) {
  make_filled_row(operation.shape->filling, row_);
  for_each_filled(operation.shape->filling, [&](std::int64_t offset, std::int64_t position, std::int64_t n) {
    write(operation.base[1] + offset, row_.data() + position, n);
  });
}

}  // namespace accord::sim
