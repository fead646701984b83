#include "simulator/time/timeline.h"

#include <algorithm>

namespace accord::sim {

void Timeline::remember_last() {
  constexpr std::size_t most_remembered = 4096;  // an in-order machine's transfer may leave as many gaps for the next
  if (before_.size() >= most_remembered) before_.erase(before_.begin(), before_.begin() + most_remembered / 2);
  before_.push_back(last_);
}

std::int64_t Timeline::whole(std::int64_t gap, std::int64_t length) const {
  if (gap >= length) return length;
  return gap <= 0 ? 0 : gap - gap % own_.numerator;
}

Cycle Timeline::stretch(Cycle earliest, std::int64_t length) const {
  std::int64_t from = earliest * own_.denominator;
  const auto pass = [&](const Interval& busy) {
    if (busy.end <= from || busy.first - from >= length) return busy.end <= from;
    from = busy.end;
    return true;
  };
  const auto behind = std::ranges::upper_bound(before_, from, {}, &Interval::end);
  if (std::all_of(behind, before_.end(), pass)) pass(last_);
  return (from + own_.denominator - 1) / own_.denominator;
}

Timeline::Slot Timeline::fill(std::int64_t earliest, std::int64_t length) {
  before_.push_back(last_);
  const Slot slot = fill(before_, earliest, length);
  last_ = before_.back();
  before_.pop_back();
  return slot;
}

Timeline::Slot Timeline::fill(std::vector<Interval>& busy, std::int64_t earliest, std::int64_t length) const {
  auto at = std::ranges::upper_bound(busy, earliest, {}, &Interval::end);  // first that ends after `earliest`
  Slot slot{unknown, earliest};
  std::int64_t from = earliest;
  const auto begin = at;
  while (length > 0) {
    const bool open = at == busy.end();
    const std::int64_t gap = open ? length : whole(at->first - from, length);
    if (gap > 0) {
      if (slot.first == unknown) slot.first = from;
      slot.end = from + gap;
      length -= gap;
    }
    if (length == 0 || open) break;
    from = std::max(from, at->end);
    ++at;
  }
  // Everything between the first and the last cycle taken is now busy.
  Interval merged{slot.first, slot.end};
  auto last = begin;
  while (last != busy.end() && last->first <= merged.end) {
    merged.end = std::max(merged.end, last->end);
    ++last;
  }
  auto first = begin;
  while (first != last && first->end < merged.first) ++first;
  if (first != last) merged.first = std::min(merged.first, first->first);
  if (first != busy.begin() && (first - 1)->end >= merged.first) {
    --first;
    merged.first = first->first;
  }
  first = busy.erase(first, last);
  busy.insert(first, merged);
  return slot;
}

void BusyCycles::insert(Cycle first, Cycle end) {
  auto at = std::ranges::lower_bound(busy_, first, {}, &Interval::end);  // first that ends at or after `first`
  if (at->first > end) {
    busy_.insert(at, {first, end});
    return;
  }
  at->first = std::min(at->first, first);
  at->end = std::max(at->end, end);
  auto next = at + 1;
  while (next != busy_.end() && next->first <= at->end) {
    at->end = std::max(at->end, next->end);
    ++next;
  }
  busy_.erase(at + 1, next);
}

}  // namespace accord::sim
