#include "compiler/lowering/share_transfers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

static_assert(std::tuple_size_v<decltype(LowOp::accesses)> >= Multicasts::most_targets);

/// Whether two lists go the same steps, each on its own element and with values of its own.
bool alike(const OpList& a, const OpList& b) {
  return a.loops.empty() && b.loops.empty() &&
         std::ranges::equal(a.ops, b.ops, [](const LowOp& one, const LowOp& other) {
           return one.mnemonic == other.mnemonic && one.count == other.count && one.access_count == other.access_count;
         });
}

/// Weaves lists that are alike.
class Weaver {
 public:
  Weaver(const Machine& machine, const std::vector<OpList>& lists) : machine_(machine), lists_(lists) {
    for (const auto& list : lists) {
      first_buffer_.push_back(static_cast<int>(woven_.buffers.size()));
      woven_.buffers.insert(woven_.buffers.end(), list.buffers.begin(), list.buffers.end());
      woven_.cuts = woven_.cuts || list.cuts;
    }
  }

  OpList run() {
    for (std::size_t at = 0; at < lists_.front().ops.size(); ++at) {
      if (from_off_chip(lists_.front().ops[at])) {
        add_transfers(at);
      } else {
        for (std::size_t l = 0; l < lists_.size(); ++l) take(woven_, lists_[l], at, first_buffer_[l]);
      }
    }
    return std::move(woven_);
  }

 private:
  bool from_off_chip(const LowOp& op) const {
    const Architecture& architecture = machine_.architecture;
    const Mnemonic& mnemonic = architecture.isa.mnemonics[op.mnemonic];
    return mnemonic.meaning == Meaning::transfer &&
           architecture.memories[architecture.units[op.unit].routes[mnemonic.route].source].off_chip;
  }

  Hop hop_of(const LowOp& op) const { return {op.unit, machine_.architecture.isa.mnemonics[op.mnemonic].route}; }

  bool same_source(std::size_t at, std::size_t a, std::size_t b) const {
    const LowOp &one = lists_[a].ops[at], &other = lists_[b].ops[at];
    const auto values = lists_[a].values.begin() + one.first;
    return one.image == other.image && std::equal(values, values + one.count, lists_[b].values.begin() + other.first);
  }

  /// The lists' transfers of one step: those with equal values together.
  void add_transfers(std::size_t at) {
    std::vector<bool> done(lists_.size(), false);
    for (std::size_t l = 0; l < lists_.size(); ++l) {
      if (done[l]) continue;
      std::vector<std::size_t> readers;
      std::vector<Hop> hops;
      for (std::size_t other = l; other < lists_.size(); ++other) {
        if (done[other] || !same_source(at, l, other)) continue;
        done[other] = true;
        readers.push_back(other);
        hops.push_back(hop_of(lists_[other].ops[at]));
      }
      for (const auto& group : machine_.multicasts.cover(hops)) {
        LowOp& op = take(woven_, lists_[readers[group.users.front()]], at, first_buffer_[readers[group.users.front()]]);
        if (group.users.size() > 1) make_multicast(op, group, readers, at);
      }
    }
  }

  /// The first user's transfer, for all of them: to all their buffers, in the time that the multicast's way takes.
  void make_multicast(LowOp& op, const Multicasts::Group& group, const std::vector<std::size_t>& readers,
                      std::size_t at) {
    const Hop alone = hop_of(op);
    for (std::size_t u = 1; u < group.users.size(); ++u) {
      const std::size_t reader = readers[group.users[u]];
      for (BufferAccess access : lists_[reader].ops[at].buffers()) {
        access.buffer += first_buffer_[reader];
        op.accesses[op.access_count++] = access;
      }
    }
    const Architecture& architecture = machine_.architecture;
    const auto rate = [&](const Hop& hop) {
      return bytes_per_cycle(architecture, architecture.units[hop.unit].routes[hop.route]);
    };
    const double slower = rate(alone) / rate(group.hop);
    const auto scaled = [&](double cycles) { return static_cast<std::int32_t>(std::ceil(cycles * slower)); };
    const auto way = static_cast<std::int32_t>(hop_latency(architecture, alone));
    op.latency = scaled(op.latency - way) + static_cast<std::int32_t>(hop_latency(architecture, group.hop));
    op.busy = scaled(op.busy);
    op.link = scaled(op.link);
    op.unit = group.hop.unit;
    op.mnemonic = machine_.limits.route(group.hop.unit, group.hop.route)->mnemonic;
  }

  const Machine& machine_;
  const std::vector<OpList>& lists_;
  std::vector<int> first_buffer_;
  OpList woven_;
};

}  // namespace

LowOp& take(OpList& to, const OpList& from, std::size_t at, int buffers) {
  LowOp op = from.ops[at];
  const auto values = from.values.begin() + op.first;
  op.first = static_cast<std::uint32_t>(to.values.size());
  to.values.insert(to.values.end(), values, values + op.count);
  for (BufferAccess& access : op.buffers()) access.buffer += buffers;
  return to.ops.emplace_back(op);
}

std::vector<OpList> share_transfers(const Machine& machine, std::vector<OpList> lists) {
  if (machine.multicasts.empty()) return lists;
  std::vector<OpList> result;
  while (!lists.empty()) {
    const auto others = std::stable_partition(lists.begin() + 1, lists.end(),
                                              [&](const OpList& list) { return alike(lists.front(), list); });
    std::vector<OpList> group(std::make_move_iterator(lists.begin()), std::make_move_iterator(others));
    lists.erase(lists.begin(), others);
    result.push_back(group.size() == 1 ? std::move(group.front()) : Weaver(machine, group).run());
  }
  return result;
}

}  // namespace accord
