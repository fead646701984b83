#pragma once

#include <map>
#include <string>
#include <vector>

#include "archdsl/tensor/value.h"
#include "cli/verifier.h"
#include "compiler/network/network.h"

namespace accord {

/// The reference for operators that the compiler made of the model's, sums in parts: evaluated on what the machine
/// delivered for their inputs, which is compared by itself.
class OwnOperators {
 public:
  /// Those of the compiled network that the model's does not have, and that the reference can evaluate.
  OwnOperators(const Network& compiled, const Network& numeric, std::map<std::string, Delivery> deliveries);

  void from_machine(const std::string& name, const Value& value);
  /// After the machine's last tensor: hands the operators' results to the verifier. `inputs` are the network's.
  void evaluate(const Values& inputs, Verifier& verifier) const;

 private:
  std::vector<Network> operators_;  ///< each alone
  std::map<std::string, Delivery> deliveries_;
  Values read_;  ///< what they read, by name
};

}  // namespace accord
