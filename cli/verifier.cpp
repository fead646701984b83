#include "cli/verifier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "archdsl/tensor/convert.h"

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
  return fmt::format("{} of {} elements differ, by up to {:g}", verdict.mismatches, verdict.elements,
                     verdict.greatest_difference);
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
    if (std::isfinite(a) && std::isfinite(b)) {
      verdict.greatest_difference = std::max(verdict.greatest_difference, std::abs(a - b));
    }
    if (!within(a, b, allowed)) ++verdict.mismatches;
  }
  return verdict;
}

void Verifier::expect(std::set<std::string> names) {
  const std::lock_guard lock(mutex_);
  expected_ = std::move(names);
  std::erase_if(reference_, [&](const auto& held) {
    if (expected_->contains(held.first)) return false;
    held_ -= held.second.data.size();
    return true;
  });
  released_.notify_all();
}

void Verifier::from_reference(const std::string& name, const Value& value) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return closed_ || held_ < budget_; });
  if (expected_ && !expected_->contains(name)) return;
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
  for (const auto& name : *expected_) {
    const auto [at, missing] = all.try_emplace(name);
    if (missing) at->second.reason = "the machine did not deliver it";
  }
  return all;
}

}  // namespace accord
