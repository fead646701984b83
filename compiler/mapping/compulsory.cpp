#include "compiler/mapping/compulsory.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace accord {
namespace {

/// Number of positions of one index that the iterators reach inside the tensor.
std::int64_t distinct(const AffineIndex& index, const TensorProgram& program, std::int64_t size) {
  std::vector<std::int64_t> values = {index.offset};
  for (const auto& [it, coefficient] : index.terms) {
    std::vector<std::int64_t> next;
    next.reserve(values.size() * static_cast<std::size_t>(program.iterators[it].extent));
    for (const auto value : values) {
      for (std::int64_t i = 0; i < program.iterators[it].extent; ++i) next.push_back(value + coefficient * i);
    }
    std::ranges::sort(next);
    next.erase(std::ranges::unique(next).begin(), next.end());
    values = std::move(next);
  }
  return std::count_if(values.begin(), values.end(), [&](std::int64_t v) { return v >= 0 && v < size; });
}

}  // namespace

std::int64_t distinct_bytes(const Network& network, const Work& work, const Access& access) {
  const Tensor& tensor = network.tensors[work.operands[access.operand].tensor];
  std::int64_t count = bytes(tensor.type);
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    count *= distinct(access.indices[i], work.program, tensor.shape[i]);
  }
  return count;
}

std::int64_t distinct_bytes(const Network& network, const Work& work, int operand) {
  for (const auto& statement : work.program.statements) {
    if (statement.target.operand == operand) return distinct_bytes(network, work, statement.target);
    for (const auto& access : statement.accesses) {
      if (access.operand == operand) return distinct_bytes(network, work, access);
    }
  }
  assert(false);
  return 0;
}

CompulsoryTraffic compulsory(const Network& network, const Work& work, const Homes& homes, int main) {
  CompulsoryTraffic traffic;
  const auto off_chip = [&](int operand) {
    const TensorId tensor = work.operands[operand].tensor;
    return tensor != no_tensor && homes[tensor].memory < 0;
  };
  std::set<int> written;
  std::map<TensorId, std::int64_t> read;  // the most that one operand reads of it
  for (const auto& statement : work.program.statements) written.insert(statement.target.operand);
  for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
    for (const auto& access : work.program.statements[s].accesses) {
      const bool in_instruction = work.operands[access.operand].number.has_value();
      const bool external = off_chip(access.operand) && !in_instruction && written.count(access.operand) == 0;
      if (!external) continue;
      std::int64_t& known = read[work.operands[access.operand].tensor];
      const std::int64_t more = distinct_bytes(network, work, access) - known;
      if (more <= 0) continue;
      known += more;
      traffic.read += more;
    }
    if (static_cast<int>(s) <= main) traffic.before = traffic.read;
  }
  const Access& result = work.program.statements.back().target;
  if (off_chip(result.operand)) traffic.written = distinct_bytes(network, work, result);
  return traffic;
}

}  // namespace accord
