#include "simulator/modules/agenda.h"

#include <algorithm>

namespace accord::sim {

namespace {

// Within one memory what is written may be what is read next: such bytes move request by request.
bool leaves_its_memory(const OperationShape& shape) {
  const auto same = [&](const AccessShape& target) { return target.memory == shape.accesses[0].memory; };
  return std::ranges::none_of(targets_of(shape), same);
}

bool continues(const Agenda::Item& item, const Agenda::Item& next) {
  return item.operation && next.operation == item.operation && item.first >= 0 && item.first < item.last &&
         next.first == item.last && next.first < next.last && leaves_its_memory(*item.operation->shape);
}

}  // namespace

bool Agenda::before(const Item& a, const Item& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.order != b.order) return a.order < b.order;
  return a.first < b.first;
}

void Agenda::Source::pop() {
  if (++next_ < items_.size()) return;
  items_.clear();
  next_ = 0;
}

bool Agenda::Source::add(const Item& item) {
  if (next_ >= 64 && next_ * 2 >= items_.size()) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  if (empty() || !before(item, items_.back())) {
    items_.push_back(item);
    return items_.size() == next_ + 1;
  }
  const auto first = items_.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto at = items_.insert(std::upper_bound(first, items_.end(), item, before), item);
  return at - items_.begin() == static_cast<std::ptrdiff_t>(next_);
}

void Agenda::add(const Item& item) {
  const std::size_t number = item.operation ? static_cast<std::size_t>(item.operation->unit) + 1 : 0;
  if (number >= sources_.size()) sources_.resize(number + 1);
  ++waiting_;
  const bool was_empty = sources_[number].empty();
  if (!sources_[number].add(item)) return;
  const auto later = [this](std::size_t a, std::size_t b) { return later_front(a, b); };
  if (was_empty) {
    nonempty_.push_back(number);
    std::ranges::push_heap(nonempty_, later);
  } else {
    std::ranges::make_heap(nonempty_, later);
  }
}

void Agenda::drain(Cycle limit, std::int64_t order) {
  const auto due = [&](const Item& item) { return item.time < limit || (item.time == limit && item.order < order); };
  const auto later = [this](std::size_t a, std::size_t b) { return later_front(a, b); };
  while (!nonempty_.empty() && due(sources_[nonempty_.front()].front())) {
    std::ranges::pop_heap(nonempty_, later);
    Source& source = sources_[nonempty_.back()];
    const Source* const other = nonempty_.size() > 1 ? &sources_[nonempty_.front()] : nullptr;
    Item item = source.front();
    source.pop();
    --waiting_;
    while (!source.empty() && continues(item, source.front()) && due(source.front()) &&
           !(other && before(other->front(), source.front()))) {
      item.last = source.front().last;
      item.holds += source.front().holds;
      source.pop();
      --waiting_;
    }
    if (source.empty()) {
      nonempty_.pop_back();
    } else {
      std::ranges::push_heap(nonempty_, later);
    }
    perform(item);
  }
}

}  // namespace accord::sim
