#include "simulator/modules/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "archdsl/graph/rates.h"

namespace accord::sim {

MemoryModule::MemoryModule(const sc_core::sc_module_name& name, DependenceGraph& graph, int number, const Memory& spec,
                           ByteStore& store, const StallAccount& account)
    : sc_module(name),
      socket("socket"),
      graph_(graph),
      number_(number),
      spec_(spec),
      store_(store),
      account_(account),
      latency_(latency_of(spec)),
      bank_bytes_(std::max<std::int64_t>(1, spec.capacity / spec.banks)),
      word_shift_(std::has_single_bit(static_cast<std::uint64_t>(spec.word))
                      ? std::countr_zero(static_cast<std::uint64_t>(spec.word))
                      : -1),
      read_ports_(static_cast<std::size_t>(spec.banks),
                  std::vector<Timeline>(static_cast<std::size_t>(spec.read_ports), Timeline(spec.period))),
      write_ports_(static_cast<std::size_t>(spec.banks),
                   std::vector<Timeline>(static_cast<std::size_t>(spec.write_ports), Timeline(spec.period))) {
  // DRAM counts the cycles that its bursts took, not words.
  if (!spec.dram) graph.rates().of(Cause::port, number).period = spec.period;
  for (int c = 0; spec.dram && c < spec.banks; ++c) channels_.emplace_back(*spec.dram);
  socket.register_b_transport(this, &MemoryModule::transport);
}

// From the first cycle of any to the last of all.
void MemoryModule::add(TimeSlot& all, const TimeSlot& slot) const {
  if (all.first == unknown) {
    all = slot;
    return;
  }
  if (slot.first.at < all.first.at) all.first = slot.first;
  all.end = graph_.later(all.end, slot.end);
}

// A slot reaches from the first column command to the last one's end on the data bus, were that to follow at once; a
// write also waits for its data to be there. The channels' clock is their own.
TimeSlot MemoryModule::access_dram(bool write, std::int64_t address, std::int64_t bursts, Time earliest) {
  const Dram& part = *spec_.dram;
  const Period clock{part.period.denominator, part.period.numerator};
  const DramChannel::Clock from = clock.cycles(earliest.at);
  DramChannel::Clock first = std::numeric_limits<DramChannel::Clock>::max(), last = from;
  const std::int64_t lowest = address / spec_.word;
  for (std::int64_t burst = lowest; burst < lowest + bursts; ++burst) {
    DramChannel& channel = channels_[static_cast<std::size_t>(burst % spec_.banks)];
    const DramChannel::Clock at = channel.access(write, burst / spec_.banks, from);
    first = std::min(first, at);
    last = std::max(last, at);
  }
  const Cycle begin = std::max<Cycle>(earliest.at, part.period.cycles(first));
  const Cycle end = part.period.cycles(last + part.burst_cycles + (write ? part.cwl : 0));
  const Time begun = graph_.no_earlier(earliest, begin);
  account_.add(begin, end);
  return {begun, graph_.after(begun, {Cause::port, number_, end - begin})};
}

TimeSlot MemoryModule::access_bank(bool write, std::size_t bank, std::int64_t words, Time earliest) {
  auto& ports = (write && !spec_.shared_ports ? write_ports_ : read_ports_)[bank];
  if (ports.size() == 1) return reserve(ports[0], earliest, words);
  if (words == 1) return reserve(*std::ranges::min_element(ports, {}, &Timeline::last_part), earliest, 1);
  TimeSlot all{not_known, earliest};
  const auto count = static_cast<std::int64_t>(ports.size());
  by_end_.clear();
  for (Timeline& port : ports) by_end_.push_back(&port);
  // Ports are alike: those that are free first take a word more.
  if (const std::int64_t more = words % count; more > 0) {
    std::ranges::nth_element(by_end_, by_end_.begin() + more, {}, &Timeline::last_part);
  }
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t share = words / count + (p < words % count ? 1 : 0);
    if (share == 0) break;
    add(all, reserve(*by_end_[static_cast<std::size_t>(p)], earliest, share));
  }
  return all;
}

TimeSlot MemoryModule::access(bool write, std::int64_t address, std::int64_t extent, std::int64_t words,
                              Time earliest) {
  if (words <= 0) return {earliest, earliest};
  if (spec_.dram) return access_dram(write, address, words, earliest);
  std::int64_t first = 0, span = 1;
  if (spec_.banks > 1 && spec_.off_chip) {
    first = address / spec_.word % spec_.banks;
    span = std::min<std::int64_t>(words, spec_.banks);
  } else if (spec_.banks > 1) {
    first = std::min<std::int64_t>(address / bank_bytes_, spec_.banks - 1);
    span = std::min<std::int64_t>((address + extent - 1) / bank_bytes_, spec_.banks - 1) - first + 1;
    span = std::min(span, words);
  }
  TimeSlot all{not_known, earliest};
  for (std::int64_t b = 0; b < span; ++b) {
    const std::int64_t share = words / span + (b < words % span ? 1 : 0);
    add(all, access_bank(write, static_cast<std::size_t>((first + b) % spec_.banks), share, earliest));
  }
  account_.add(all.first, all.end);
  return all;
}

TimeSlot MemoryModule::access(bool write, const Operation& operation, const AccessShape& shape, Time earliest) {
  const Footprint& footprint = shape.footprint;
  if (footprint.extent == 0) return {earliest, earliest};
  const std::int64_t low = operation.low(shape);
  if (spec_.dram) {
    TimeSlot all{not_known, earliest};
    for_each_run(footprint, operation.base[static_cast<std::size_t>(shape.operand)],
                 [&](std::int64_t address, std::int64_t n) {
                   add(all, access_dram(write, address, words(address, n), earliest));
                 });
    return all;
  }
  std::int64_t count = words(low, footprint.run);
  for (const Stride& dim : footprint.outer) count *= dim.count;
  return access(write, low, footprint.extent, count, earliest);
}

void MemoryModule::transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const auto address = static_cast<std::int64_t>(payload.get_address());
  const std::int64_t length = payload.get_data_length();
  if (address < 0 || length > store_.capacity() - address)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  if (payload.is_read()) {
    std::memcpy(data, store_.data() + address, static_cast<std::size_t>(length));
  } else {
    std::memcpy(store_.data() + address, data, static_cast<std::size_t>(length));
    store_.mark_written(address, length);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace accord::sim
