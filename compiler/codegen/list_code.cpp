#include "compiler/codegen/list_code.h"

#include <algorithm>

namespace accord {

void ListCode::begin(const RegisterGroups& groups, std::span<const MaybeValue> known) {
  groups_ = &groups;
  if (!recorded_) {
    ops_.clear();
    text_.clear();
    changes_.clear();
    before_.assign(known.begin(), known.end());
  }
  then_ = before_;
  next_ = text_at_ = changes_at_ = 0;
  same_order_ = true;
  in_step_.clear();
  for (std::size_t g = 0; g < groups.count(); ++g) {
    const auto members = groups.members(static_cast<int>(g));
    in_step_.push_back(std::ranges::all_of(members, [&](int reg) { return known[reg] == then_[reg]; }));
  }
}

ListCode::Piece ListCode::piece(const Op& op) const {
  return {std::span(text_).subspan(text_at_, op.bytes), std::span(changes_).subspan(changes_at_, op.changes)};
}

/// Goes on to the operation after this one.
void ListCode::step(const Piece& piece) {
  for (const auto& [reg, value] : piece.changes) then_[reg] = value;
  text_at_ += piece.text.size();
  changes_at_ += piece.changes.size();
  ++next_;
}

std::optional<ListCode::Piece> ListCode::next(std::uint32_t op, int mnemonic) {
  if (!recorded_) return std::nullopt;
  same_order_ = same_order_ && next_ < ops_.size() && ops_[next_].op == op;
  if (!same_order_) return std::nullopt;
  const Piece known = piece(ops_[next_]);
  step(known);
  const int group = groups_->of(mnemonic);
  if (varies_[op] || (group >= 0 && !in_step_[group])) return std::nullopt;
  return known;
}

void ListCode::note(std::uint32_t op, int mnemonic, std::span<const std::byte> text,
                    std::span<const MaybeValue> known) {
  const int group = groups_->of(mnemonic);
  const auto registers = group < 0 ? std::span<const int>() : groups_->members(group);
  if (!recorded_) {
    record(op, registers, text, known);
  } else if (same_order_ && group >= 0) {
    in_step_[group] = std::ranges::all_of(registers, [&](int reg) { return known[reg] == then_[reg]; });
  }
}

void ListCode::record(std::uint32_t op, std::span<const int> registers, std::span<const std::byte> text,
                      std::span<const MaybeValue> known) {
  text_.insert(text_.end(), text.begin(), text.end());
  const std::size_t first = changes_.size();
  for (const int reg : registers) {
    if (known[reg] == then_[reg]) continue;
    changes_.push_back({reg, known[reg]});
    then_[reg] = known[reg];
  }
  ops_.push_back({op, static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(changes_.size() - first)});
}

}  // namespace accord
