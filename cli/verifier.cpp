#include "cli/verifier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/float_format.h"

namespace accord {

namespace {

double greatest_magnitude(const Value& value) {
  const auto step = static_cast<std::size_t>(bytes(value.type));
  double greatest = 0;
  for (std::size_t at = 0; at < value.data.size(); at += step) {
    const double element = std::abs(load_element(value.data.data() + at, value.type));
    if (std::isfinite(element)) greatest = std::max(greatest, element);
  }
  return greatest;
}

/// Also true where both are the same infinity or both NaN.
bool within(double a, double b, double allowed) {
  return a == b || std::abs(a - b) <= allowed || (std::isnan(a) && std::isnan(b));
}

}  // namespace

std::string describe(const TensorVerdict& verdict) {
  if (!verdict.reason.empty()) return verdict.reason;
  std::string text = fmt::format("{} of {} elements differ", verdict.mismatches, verdict.elements);
  if (verdict.not_finite < verdict.mismatches) text += fmt::format(", by up to {:g}", verdict.greatest_difference);
  if (verdict.not_finite > 0) text += fmt::format("; {} of them: infinite or NaN on one side", verdict.not_finite);
  return text;
}

double default_tolerance(ElementType storage) {
  if (storage == ElementType::fp8e4m3) return power_of_two(-Fp8e4m3::mantissa_bits);
  if (storage == ElementType::fp8e5m2) return power_of_two(-Fp8e5m2::mantissa_bits);
  return power_of_two(-Bf16::mantissa_bits);
}

TensorVerdict compare_tensors(const Value& machine, const Value& reference, double tolerance) {
  TensorVerdict verdict;
  if (machine.type != reference.type) verdict.reason = "another element type";
  if (machine.shape != reference.shape) verdict.reason = "another shape";
  if (!verdict.reason.empty()) return verdict;
  const auto step = static_cast<std::size_t>(bytes(reference.type));
  verdict.elements = static_cast<std::int64_t>(reference.data.size() / step);
  if (machine.data == reference.data) return verdict;
  const double allowed = is_float(reference.type) ? tolerance * greatest_magnitude(reference) : 0;
  for (std::size_t at = 0; at < reference.data.size(); at += step) {
    const double a = load_element(machine.data.data() + at, machine.type);
    const double b = load_element(reference.data.data() + at, reference.type);
    const bool finite = std::isfinite(a) && std::isfinite(b);
    if (finite) verdict.greatest_difference = std::max(verdict.greatest_difference, std::abs(a - b));
    if (within(a, b, allowed)) continue;
    ++verdict.mismatches;
    verdict.not_finite += finite ? 0 : 1;
  }
  return verdict;
}

namespace {

/// Visits the part's rows of the last index: their first bytes in the whole and in the part, and their length. False
/// where the part does not lie within the whole.
template <class Visit>
bool for_each_row(const Value& whole, const Delivery& delivery, Visit visit) {
  const std::size_t rank = whole.shape.size();
  if (delivery.origin.size() != rank || delivery.shape.size() != rank) return false;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool inside = delivery.origin[d] >= 0 && delivery.shape[d] <= whole.shape[d] - delivery.origin[d];
    if (!inside || delivery.shape[d] <= 0) return false;
  }
  const auto element = static_cast<std::size_t>(bytes(whole.type));
  const std::size_t length = static_cast<std::size_t>(rank == 0 ? 1 : delivery.shape[rank - 1]) * element;
  std::vector<std::int64_t> at(rank, 0);
  std::size_t in_part = 0;
  for (bool more = true; more; in_part += length) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < rank; ++d) flat = flat * whole.shape[d] + delivery.origin[d] + at[d];
    visit(static_cast<std::size_t>(flat) * element, in_part, length);
    more = false;
    for (std::size_t d = rank - std::min<std::size_t>(rank, 1); d-- > 0 && !more;) {
      more = ++at[d] < delivery.shape[d];
      if (!more) at[d] = 0;
    }
  }
  return true;
}

}  // namespace

std::optional<Value> part_of(const Value& whole, const Delivery& delivery) {
  if (delivery.origin.empty()) return whole;
  Value part{whole.type, delivery.shape, {}};
  const bool within = for_each_row(whole, delivery, [&](std::size_t from, std::size_t, std::size_t length) {
    part.data.insert(part.data.end(), whole.data.data() + from, whole.data.data() + from + length);
  });
  return within ? std::optional(std::move(part)) : std::nullopt;
}

void put_part(Value& whole, const Delivery& delivery, const Value& part) {
  if (delivery.origin.empty()) {
    whole.data = part.data;
    return;
  }
  for_each_row(whole, delivery, [&](std::size_t to, std::size_t from, std::size_t length) {
    std::copy_n(part.data.data() + from, length, whole.data.data() + to);
  });
}

void Verifier::expect(const std::map<std::string, Delivery>& deliveries) {
  const std::lock_guard lock(mutex_);
  expected_ = deliveries;
  for (const auto& [name, delivery] : deliveries) names_of_.emplace(delivery.whole, name);
  const auto early = std::exchange(reference_, {});
  held_ = 0;
  for (const auto& [whole, value] : early) hand_out(whole, value);
  released_.notify_all();
}

void Verifier::from_reference(const std::string& name, Value& value) {
  std::unique_lock lock(mutex_);
  if (is_float(value.type)) {
    released_.wait(lock, [&] { return closed_ || (expected_ && delivered(name)); });
    return adopt(name, value);
  }
  released_.wait(lock, [&] { return closed_ || held_ < budget_; });
  if (expected_) {
    hand_out(name, value);
  } else {
    take_reference(name, value);
  }
}

bool Verifier::delivered(const std::string& whole) const {
  const auto [first, last] = names_of_.equal_range(whole);
  return std::all_of(first, last, [&](const auto& entry) { return machine_.contains(entry.second); });
}

void Verifier::adopt(const std::string& whole, Value& value) {
  const Value reference = value;
  const auto [first, last] = names_of_.equal_range(whole);
  for (auto name = first; name != last; ++name) {
    const Delivery& delivery = expected_->at(name->second);
    const auto machine = machine_.extract(name->second);
    const auto part = part_of(reference, delivery);
    if (!machine || !part) continue;
    settle(name->second, machine.mapped(), *part);
    if (machine.mapped().type == part->type && machine.mapped().shape == part->shape) {
      put_part(value, delivery, machine.mapped());
    }
  }
}

/// The reference's tensor goes to everything that is delivered of it.
void Verifier::hand_out(const std::string& whole, const Value& value) {
  const auto [first, last] = names_of_.equal_range(whole);
  for (auto name = first; name != last; ++name) {
    if (const auto part = part_of(value, expected_->at(name->second))) take_reference(name->second, *part);
  }
}

void Verifier::take_reference(const std::string& name, const Value& value) {
  const auto partner = machine_.extract(name);
  if (partner) {
    settle(name, partner.mapped(), value);
  } else if (!closed_ && reference_.insert_or_assign(name, value).second) {
    held_ += value.data.size();
  }
}

void Verifier::from_machine(const std::string& name, const Value& value) {
  const std::lock_guard lock(mutex_);
  const auto partner = reference_.extract(name);
  if (!partner) {
    machine_.insert_or_assign(name, value);
    released_.notify_all();
    return;
  }
  held_ -= partner.mapped().data.size();
  settle(name, value, partner.mapped());
  released_.notify_all();
}

void Verifier::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  released_.notify_all();
}

void Verifier::settle(const std::string& name, const Value& machine, const Value& reference) {
  verdicts_[name] = compare_tensors(machine, reference, tolerance_);
}

std::map<std::string, TensorVerdict> Verifier::verdicts() const {
  const std::lock_guard lock(mutex_);
  auto all = verdicts_;
  for (const auto& [name, value] : machine_) all[name].reason = "the reference has no tensor of this name";
  if (!expected_) return all;
  for (const auto& [name, delivery] : *expected_) {
    const auto [at, missing] = all.try_emplace(name);
    if (missing) at->second.reason = "the machine did not deliver it";
  }
  return all;
}

}  // namespace accord
