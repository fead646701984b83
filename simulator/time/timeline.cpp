#include "simulator/time/timeline.h"

#include <algorithm>

namespace accord::sim {

Timeline::Slot Timeline::begin_stretch(std::int64_t earliest, std::int64_t length) {
  if (busy_.size() > 256) busy_.erase(busy_.begin(), busy_.begin() + 128);
  busy_.push_back({earliest, earliest + length});
  return {earliest, earliest + length};
}

std::int64_t Timeline::whole(std::int64_t gap, std::int64_t length) const {
  if (gap >= length) return length;
  return gap <= 0 ? 0 : gap - gap % own_.numerator;
}

Timeline::Slot Timeline::fill(std::int64_t earliest, std::int64_t length) {
  auto at = std::ranges::upper_bound(busy_, earliest, {}, &Interval::end);  // first that ends after `earliest`
  Slot slot{unknown, earliest};
  std::int64_t from = earliest;
  const auto begin = at;
  while (length > 0) {
    const bool open = at == busy_.end();
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
  while (last != busy_.end() && last->first <= merged.end) {
    merged.end = std::max(merged.end, last->end);
    ++last;
  }
  auto first = begin;
  while (first != last && first->end < merged.first) ++first;
  if (first != last) merged.first = std::min(merged.first, first->first);
  if (first != busy_.begin() && (first - 1)->end >= merged.first) {
    --first;
    merged.first = first->first;
  }
  first = busy_.erase(first, last);
  busy_.insert(first, merged);
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
