#include "compiler/codegen/register_groups.h"

#include <map>
#include <numeric>

namespace accord {
namespace {

/// All registers that instructions of the mnemonic may read or write.
std::vector<int> registers_of(const Isa& isa, const Mnemonic& mnemonic) {
  std::vector<int> found;
  const auto add = [&](Binding::Base base, int reg) {
    if (base == Binding::Base::none) return;
    const Register* file = register_of(isa, reg);
    const int end = base == Binding::Base::indexed_register && file != nullptr ? file->first + file->count : reg + 1;
    for (int r = reg; r < end; ++r) found.push_back(r);
  };
  for (const Binding& binding : mnemonic.arguments) add(binding.base, binding.reg);
  for (const RegisterUpdate& update : mnemonic.updates) {
    add(update.base, update.reg);
    add(update.amount.base, update.amount.reg);
  }
  return found;
}

}  // namespace

RegisterGroups::RegisterGroups(const Isa& isa) {
  std::vector<int> parent(static_cast<std::size_t>(isa.register_count));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int r) {
    while (parent[r] != r) r = parent[r] = parent[parent[r]];
    return r;
  };
  std::vector<int> first;  // register of each mnemonic
  for (const Mnemonic& mnemonic : isa.mnemonics) {
    const auto used = registers_of(isa, mnemonic);
    first.push_back(used.empty() ? -1 : used.front());
    for (const int r : used) parent[root(r)] = root(used.front());
  }
  std::map<int, int> number;
  for (int r = 0; r < isa.register_count; ++r) {
    const auto [group, is_new] = number.try_emplace(root(r), static_cast<int>(members_.size()));
    if (is_new) members_.emplace_back();
    members_[static_cast<std::size_t>(group->second)].push_back(r);
  }
  for (const int r : first) of_mnemonic_.push_back(r < 0 ? -1 : number.at(root(r)));
}

}  // namespace accord
