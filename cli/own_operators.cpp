#include "cli/own_operators.h"

#include <utility>

#include "compiler/network/extract.h"
#include "compiler/reference/execute.h"

namespace accord {

OwnOperators::OwnOperators(const Network& compiled, const Network& numeric, std::map<std::string, Delivery> deliveries)
    : deliveries_(std::move(deliveries)) {
  for (std::size_t op = numeric.operators.size(); op < compiled.operators.size(); ++op) {
    const Operator& own = compiled.operators[op];
    if (!can_execute(own.type) || !deliveries_.contains(compiled.tensor(own.outputs[0]).name)) continue;
    operators_.push_back(extract(compiled, {static_cast<int>(op)}));
    for (const TensorId input : operators_.back().inputs) {
      const Tensor& tensor = operators_.back().tensor(input);
      const auto size = count_of(tensor.shape) * static_cast<std::size_t>(bytes(tensor.type));
      read_[tensor.name] = Value{tensor.type, tensor.shape, std::vector<std::byte>(size)};
    }
  }
}

void OwnOperators::from_machine(const std::string& name, const Value& value) {
  const auto delivery = deliveries_.find(name);
  if (delivery == deliveries_.end()) return;
  const auto whole = read_.find(delivery->second.whole);
  if (whole != read_.end()) put_part(whole->second, delivery->second, value);
}

void OwnOperators::evaluate(const Values& inputs, Verifier& verifier) const {
  for (const Network& alone : operators_) {
    Values read;
    for (const TensorId input : alone.inputs) {
      const std::string& name = alone.tensor(input).name;
      read[name] = inputs.contains(name) ? inputs.at(name) : read_.at(name);
    }
    for (auto& [name, value] : execute(alone, std::move(read), {.keep = Keep::outputs, .threads = 1, .observer = {}}))
      verifier.from_reference(name, value);
  }
}

}  // namespace accord
