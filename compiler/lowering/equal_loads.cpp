#include "compiler/lowering/equal_loads.h"

#include <boost/functional/hash.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace accord {
namespace {

/// What a load brings, and where to.
using Brought = std::vector<std::int64_t>;

Brought brought_by(const OpList& list, const LowOp& op) {
  constexpr std::int64_t unset = std::numeric_limits<std::int64_t>::min();
  Brought brought = {op.image};
  for (std::uint32_t v = op.first; v < op.first + op.count; ++v) brought.push_back(list.values[v].value_or(unset));
  return brought;
}

}  // namespace

EqualLoads::EqualLoads(const std::vector<OpList>& lists, const std::function<bool(const LowOp&)>& is_load) {
  std::unordered_map<Brought, int, boost::hash<Brought>> kinds;
  std::map<std::pair<int, int>, int> numbers;  // by kind and how often it has come
  for (const OpList& list : lists) {
    std::map<int, int> times;  // by kind
    std::vector<int>& own = loads_.emplace_back(list.ops.size(), -1);
    for (std::size_t i = 0; i < list.ops.size(); ++i) {
      if (!is_load(list.ops[i])) continue;
      const int kind = kinds.try_emplace(brought_by(list, list.ops[i]), static_cast<int>(kinds.size())).first->second;
      own[i] = numbers.try_emplace({kind, times[kind]++}, static_cast<int>(numbers.size())).first->second;
      wanting_.resize(numbers.size(), 0);
      ++wanting_[static_cast<std::size_t>(own[i])];
    }
  }
}

}  // namespace accord
