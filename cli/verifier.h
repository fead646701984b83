#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/tensor/value.h"

namespace accord {

/// Part of a tensor's greatest value by which floats may differ: two roundings of the storage type, of bf16 at least,
/// since the machine sums in another order than the reference.
double default_tolerance(ElementType storage);

/// How a tensor of the machine's differs from the reference's tensor of the same name.
struct TensorVerdict {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;     ///< integers: not equal; floats: further apart than tolerance * max|reference|
  double greatest_difference = 0;  ///< of finite values
  std::int64_t not_finite = 0;     ///< of `mismatches`, those where either is infinite or not a number
  std::string reason;              ///< where nothing could be compared: other shape or type, or never delivered
  bool ok() const { return mismatches == 0 && reason.empty(); }
};

/// "12 of 4096 elements differ, by up to 3; 1 of them: infinite or NaN on one side"
std::string describe(const TensorVerdict& verdict);

TensorVerdict compare_tensors(const Value& machine, const Value& reference, double tolerance);

/// What the machine delivers under one name: a tensor, or a part of one.
struct Delivery {
  std::string whole;                 ///< the reference's tensor
  std::vector<std::int64_t> origin;  ///< index in it where the part begins; empty: all of it
  Shape shape;                       ///< of the part
};

/// The part of a tensor; nothing where it does not lie within.
std::optional<Value> part_of(const Value& whole, const Delivery& delivery);

/// Writes the part, of the delivery's shape, into the tensor that it lies within.
void put_part(Value& whole, const Delivery& delivery, const Value& part);

/// Meeting point of the reference's thread and the simulator's: each tensor is compared as soon as both sides have
/// delivered it, and freed. Floats are summed in other orders on either side, and differences grow from layer to layer:
/// there the reference waits for the machine's tensor and, once compared, goes on with that one, so that each layer is
/// held against the reference on the machine's own inputs. Integers are equal, and nobody waits for the other, but the
/// reference while more than `budget` bytes of its tensors wait for their partners. The simulator never waits, so that
/// the two cannot block each other whatever their orders are.
class Verifier {
 public:
  Verifier(double tolerance, std::size_t budget) : tolerance_(tolerance), budget_(budget) {}

  /// What the machine will deliver, by name; the reference's other tensors are dropped from now on.
  void expect(const std::map<std::string, Delivery>& deliveries);
  /// Floats become the machine's.
  void from_reference(const std::string& name, Value& value);
  void from_machine(const std::string& name, const Value& value);
  /// The machine delivers nothing more: the reference is never held up again.
  void close();

  /// After both sides are through; a tensor that one side never delivered has a reason.
  std::map<std::string, TensorVerdict> verdicts() const;

 private:
  void settle(const std::string& name, const Value& machine, const Value& reference);
  void take_reference(const std::string& name, const Value& value);
  void hand_out(const std::string& whole, const Value& value);
  bool delivered(const std::string& whole) const;
  void adopt(const std::string& whole, Value& value);

  double tolerance_;
  std::size_t budget_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::optional<std::map<std::string, Delivery>> expected_;
  std::multimap<std::string, std::string> names_of_;  ///< by the reference's tensor: what is delivered of it
  std::map<std::string, Value> reference_, machine_;  ///< by delivered name; before `expect` by the reference's
  std::size_t held_ = 0;                              ///< bytes in reference_
  bool closed_ = false;
  std::map<std::string, TensorVerdict> verdicts_;
};

}  // namespace accord
