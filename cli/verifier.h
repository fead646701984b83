#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "archdsl/tensor/value.h"

namespace accord {

/// Part of a tensor's greatest value by which floats may differ: eight roundings of bf16, since the machine sums in
/// another order than the reference and the differences pass through all layers.
inline constexpr double default_tolerance = 0x1p-5;

/// How a tensor of the machine's differs from the reference's tensor of the same name.
struct TensorVerdict {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;  ///< integers: not equal; floats: further apart than tolerance * max|reference|
  double greatest_difference = 0;
  std::string reason;  ///< where nothing could be compared: other shape or type, or never delivered
  bool ok() const { return mismatches == 0 && reason.empty(); }
};

/// "12 of 4096 elements differ, by up to 3"
std::string describe(const TensorVerdict& verdict);

TensorVerdict compare_tensors(const Value& machine, const Value& reference, double tolerance);

/// Meeting point of the reference's thread and the simulator's: each tensor is compared as soon as both sides have
/// delivered it, and freed. The reference waits while more than `budget` bytes of its tensors wait for their partners;
/// the simulator never waits, so that the two cannot block each other whatever their orders are.
class Verifier {
 public:
  Verifier(double tolerance, std::size_t budget) : tolerance_(tolerance), budget_(budget) {}

  /// The tensors that the machine will deliver; all others of the reference are dropped from now on.
  void expect(std::set<std::string> names);
  void from_reference(const std::string& name, const Value& value);
  void from_machine(const std::string& name, const Value& value);
  /// The machine delivers nothing more: the reference is never held up again.
  void close();

  /// After both sides are through; a tensor that one side never delivered has a reason.
  std::map<std::string, TensorVerdict> verdicts() const;

 private:
  void settle(const std::string& name, const Value& machine, const Value& reference);

  double tolerance_;
  std::size_t budget_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::optional<std::set<std::string>> expected_;
  std::map<std::string, Value> reference_, machine_;
  std::size_t held_ = 0;  ///< bytes in reference_
  bool closed_ = false;
  std::map<std::string, TensorVerdict> verdicts_;
};

}  // namespace accord
