#include "simulator/modules/memory.h"

#include <algorithm>
#include <limits>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"

namespace accord::sim {
namespace {

constexpr std::int64_t most_strokes = 64;  ///< of an access that is paced: each is a reservation of its own

/// What each word takes of so many ports.
Period together(const Period& period, int ports) { return {period.numerator, period.denominator * std::max(1, ports)}; }

}  // namespace

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
      own_latency_(spec.period.cycles(spec.latency)),
      until_written_(std::max<Cycle>(0, spec.period.cycles(1) - 1)),
      bank_bytes_(spec.bank_bytes()),
      word_shift_(exact_log2(spec.word)),
      bank_shift_(exact_log2(bank_bytes_)),
      alone_(!spec.dram && (spec.banks == 1 || !spec.off_chip) && spec.read_ports == 1 &&
             (spec.shared_ports || spec.write_ports == 1)),
      slow_together_(spec.period.cycles(1) > 1 && std::max(spec.read_ports, spec.write_ports) > 1),
      read_ports_(static_cast<std::size_t>(spec.banks), Timeline(together(spec.period, spec.read_ports))),
      write_ports_(static_cast<std::size_t>(spec.banks), Timeline(together(spec.period, spec.write_ports))) {
  // DRAM counts the cycles that its bursts took, not words.
  if (!spec.dram) graph.rates().of(Cause::port, number).period = spec.period;
  for (int c = 0; spec.dram && c < spec.banks; ++c) channels_.emplace_back(*spec.dram);
  socket.register_get_direct_mem_ptr(this, &MemoryModule::grant_direct_access);
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

// What is read: from the first column command to the last one's end on the data bus, were that to follow at once. What
// is written: while the controller takes it, on each channel at the rate of the data bus. The channels' clock is their
// own.
TimeSlot MemoryModule::access_dram(bool write, std::int64_t address, std::int64_t bursts, Time earliest) {
  const Dram& part = *spec_.dram;
  const DramChannel::Clock from = clock_at(earliest.at);
  DramChannel::Clock first = std::numeric_limits<DramChannel::Clock>::max(), last = from;
  const std::int64_t lowest = address / spec_.word;
  for (std::int64_t n = 0; n < bursts; ++n) {
    DramController& channel = channels_[static_cast<std::size_t>((lowest + n) % spec_.banks)];
    const std::int64_t burst = (lowest + n) / spec_.banks;
    const DramChannel::Clock at =
        write ? channel.write(burst, from + n / spec_.banks * part.burst_cycles) : channel.read(burst, from);
    account_served(channel);
    first = std::min(first, at);
    last = std::max(last, at);
  }
  if (account_.full()) {
    settle_channels(clock_at(account_.settled()));
    account_.spend_until(account_.settled());
  }
  const Cycle begin = std::max<Cycle>(earliest.at, part.period.cycles(first));
  const Cycle end = std::max(begin, part.period.cycles(last + part.burst_cycles));
  // Reads follow each other on the data bus, whenever they were asked for.
  const bool follows = !write && last_read_.at > earliest.at && last_read_.at <= begin;
  const Time begun =
      follows ? graph_.later(earliest, graph_.after(last_read_, {Cause::rows, number_, begin - last_read_.at}))
              : graph_.after(earliest, {Cause::rows, number_, begin - earliest.at});
  const Time ended = graph_.after(begun, {Cause::port, number_, end - begin});
  if (!write && ended.at >= last_read_.at) last_read_ = ended;
  return {begun, ended};
}

void MemoryModule::account_served(DramController& channel) {
  const Dram& part = *spec_.dram;
  channel.take_served([&](DramChannel::Clock at) {
    account_.keep(part.period.cycles(at), part.period.cycles(at + part.burst_cycles));
  });
}

void MemoryModule::settle_channels(DramChannel::Clock clock) {
  for (DramController& channel : channels_) {
    channel.settle(clock);
    account_served(channel);
  }
}

Time MemoryModule::drained(Time end) {
  Cycle last = 0;
  for (DramController& channel : channels_) {
    channel.drain(clock_at(end.at));
    account_served(channel);
    last = std::max(last, spec_.dram->period.cycles(channel.end()));
  }
  return graph_.after(end, {Cause::rows, number_, std::max<Cycle>(last - end.at, 0)});
}

TimeSlot MemoryModule::whole_cycles(const Timeline& ports, const TimeSlot& slot, Time earliest, std::int64_t words) {
  const std::int64_t each = ceil_div(words, ports.own().denominator / spec_.period.denominator);
  const Delay least(Cause::port, number_, spec_.period.cycles(each), each);
  const Time end = graph_.later_after(earliest, least, slot.end);
  return {graph_.later_after(end, -least, earliest), end};
}

TimeSlot MemoryModule::access_paced(Timeline& ports, std::int64_t words, Time earliest, const Delay& pace) {
  const Period& own = ports.own();
  if (own.denominator == spec_.period.denominator || pace.cycles <= own.cycles(words))
    return reserve(ports, earliest, words);
  TimeSlot all{not_known, earliest};
  const std::int64_t strokes = std::min({words, pace.cycles, most_strokes});
  for (std::int64_t s = 0; s < strokes; ++s) {
    const Delay before(pace.cause, pace.component, s * pace.cycles / strokes);
    const std::int64_t share = (s + 1) * words / strokes - s * words / strokes;
    add(all, reserve(ports, graph_.after(earliest, before), share));
  }
  return all;
}

TimeSlot MemoryModule::access_banks(bool write, std::int64_t address, std::int64_t extent, std::int64_t words,
                                    Time earliest, const Delay& pace) {
  if (words <= 0) return {earliest, earliest};
  if (spec_.dram) return access_dram(write, address, words, earliest);
  std::int64_t first = 0, span = 1;
  if (spec_.banks > 1 && spec_.off_chip) {
    first = address / spec_.word % spec_.banks;
    span = std::min<std::int64_t>(words, spec_.banks);
  } else if (spec_.banks > 1) {
    first = bank_of(address);
    span = std::min(bank_of(address + extent - 1) - first + 1, words);
  }
  TimeSlot all{not_known, earliest};
  const std::int64_t least = words / span, more = words % span;
  for (std::int64_t b = 0; b < span; ++b) {
    add(all, access_paced(ports(write, static_cast<std::size_t>(first)), least + (b < more ? 1 : 0), earliest, pace));
    if (++first == spec_.banks) first = 0;
  }
  account_.add(all.first, all.end);
  return all;
}

TimeSlot MemoryModule::access_banks(bool write, std::int64_t low, const Footprint& footprint, std::int64_t first_bank,
                                    std::int64_t last_bank, Time earliest, const Delay& pace) {
  TimeSlot all{not_known, earliest};
  std::vector<std::int64_t> words(static_cast<std::size_t>(last_bank - first_bank + 1));
  count_words(footprint, low, spec_.word, bank_bytes_, words);
  for (std::size_t b = 0; b < words.size(); ++b) {
    Timeline& of_bank = ports(write, static_cast<std::size_t>(first_bank) + b);
    if (words[b] > 0) add(all, access_paced(of_bank, words[b], earliest, pace));
  }
  account_.add(all.first, all.end);
  return all;
}

std::int64_t MemoryModule::words(std::int64_t low, const Footprint& footprint) const {
  std::int64_t count = words(low, footprint.run);
  for (const Stride& dim : footprint.outer) {
    const std::int64_t into_word = word_shift_ >= 0 ? dim.step & (spec_.word - 1) : dim.step % spec_.word;
    if (into_word != 0) return words_of(footprint, low, spec_.word);
    count *= dim.count;
  }
  return count;
}

TimeSlot MemoryModule::access(bool write, std::int64_t base, const Footprint& footprint, Time earliest,
                              const Delay& pace) {
  if (footprint.extent == 0) return {earliest, earliest};
  if (spec_.dram) {
    TimeSlot all{not_known, earliest};
    for_each_run(footprint, base, [&](std::int64_t address, std::int64_t n) {
      add(all, access_dram(write, address, words(address, n), earliest));
    });
    return all;
  }
  const std::int64_t low = base + footprint.offset;
  const std::int64_t first_bank = bank_of(low), last_bank = bank_of(low + footprint.extent - 1);
  if (first_bank != last_bank && !spec_.off_chip)
    return access_banks(write, low, footprint, first_bank, last_bank, earliest, pace);
  return access(write, low, footprint.extent, words(low, footprint), earliest, pace);
}

// All of it, for as long as the run lasts.
bool MemoryModule::grant_direct_access(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& granted) {
  granted.set_dmi_ptr(reinterpret_cast<unsigned char*>(store_.data()));
  granted.set_start_address(0);
  granted.set_end_address(static_cast<sc_dt::uint64>(store_.capacity()) - 1);
  granted.allow_read_write();
  return true;
}

}  // namespace accord::sim
