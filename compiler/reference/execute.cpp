#include "compiler/reference/execute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "archdsl/source/error.h"
#include "compiler/network/operator_error.h"
#include "compiler/reference/operator_table.h"

namespace accord {
namespace {

using reference::OperatorCall;
using reference::TensorView;

/// The state of one run: a slot per tensor, emptied when its last reader is done unless it is to be kept.
class Execution {
 public:
  Execution(const Network& network, const ExecuteOptions& options)
      : network_(network),
        options_(options),
        values_(network.tensors.size()),
        lent_(network.tensors.size()),
        last_use_(network.tensors.size(), -1) {
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
      for (TensorId id : network.operators[i].inputs) {
        if (id != no_tensor) last_use_[static_cast<std::size_t>(id)] = static_cast<int>(i);
      }
    }
  }

  void take_inputs(Values& inputs) {
    for (TensorId id : network_.inputs) {
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(id)];
      auto found = inputs.find(tensor.name);
      if (found == inputs.end()) throw Error("no value given for input " + tensor.name);
      Value& value = found->second;
      if (value.type != tensor.type || value.shape != tensor.shape) {
        throw Error(fmt::format("input {} must be {}[{}], not {}[{}]", tensor.name, name(tensor.type),
                                fmt::join(tensor.shape, ","), name(value.type), fmt::join(value.shape, ",")));
      }
      values_[static_cast<std::size_t>(id)] = std::move(value);
    }
  }

  void run(std::size_t index) {
    const Operator& op = network_.operators[index];
    const auto& table = reference::operator_table();
    auto found = table.find(op.type);
    if (found == table.end()) throw OperatorError(op, "the reference has no such operator");
    std::vector<Value> outputs = allocate(op);
    const OperatorCall call{op, views(op), outputs, std::max(1, options_.threads)};
    try {
      found->second(call);
    } catch (const Error& error) {
      throw OperatorError(op, error.what());
    }
    store(op, std::move(outputs));
    release(op, static_cast<int>(index));
  }

  Values result() {
    Values kept;
    for (std::size_t id = 0; id < values_.size(); ++id) {
      if (values_[id] && keeps(static_cast<TensorId>(id))) kept[network_.tensors[id].name] = std::move(*values_[id]);
    }
    for (TensorId id : network_.outputs) add_constant_output(kept, network_.tensors[static_cast<std::size_t>(id)]);
    return kept;
  }

 private:
  bool keeps(TensorId id) const {
    return options_.keep == Keep::all || std::ranges::find(network_.outputs, id) != network_.outputs.end();
  }

  static void add_constant_output(Values& kept, const Tensor& tensor) {
    if (tensor.is_constant()) kept[tensor.name] = Value{tensor.type, tensor.shape, tensor.data->copy()};
  }

  std::vector<Value> allocate(const Operator& op) const {
    std::vector<Value> outputs;
    for (TensorId id : op.outputs) {
      if (id == no_tensor) {
        outputs.emplace_back();
        continue;
      }
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(id)];
      const auto size = count_of(tensor.shape) * static_cast<std::size_t>(bytes(tensor.type));
      outputs.push_back({tensor.type, tensor.shape, std::vector<std::byte>(size)});
    }
    return outputs;
  }

  std::vector<TensorView> views(const Operator& op) {
    std::vector<TensorView> inputs;
    for (TensorId id : op.inputs) {
      if (id == no_tensor) {
        inputs.emplace_back();
        continue;
      }
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(id)];
      const auto& value = values_[static_cast<std::size_t>(id)];
      if (!tensor.is_constant() && !value) throw Error(op.name + " reads " + tensor.name + ", which has no value yet");
      if (tensor.is_constant()) {
        auto& lent = lent_[static_cast<std::size_t>(id)];
        if (!lent) lent = tensor.data->lend();
        inputs.push_back({tensor.type, tensor.shape, lent.get()});
      } else {
        inputs.push_back(reference::view(*value));
      }
    }
    return inputs;
  }

  void store(const Operator& op, std::vector<Value> outputs) {
    std::vector<Value*> observed(op.outputs.size());
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.outputs[i] == no_tensor) continue;
      auto& slot = values_[static_cast<std::size_t>(op.outputs[i])];
      slot = std::move(outputs[i]);
      observed[i] = &*slot;
    }
    if (options_.observer) options_.observer(op, observed);
  }

  void release(const Operator& op, int index) {
    for (TensorId id : op.inputs) {
      if (id == no_tensor || last_use_[static_cast<std::size_t>(id)] > index) continue;
      lent_[static_cast<std::size_t>(id)].reset();
      if (!keeps(id)) values_[static_cast<std::size_t>(id)].reset();
    }
  }

  const Network& network_;
  const ExecuteOptions& options_;
  std::vector<std::optional<Value>> values_;
  std::vector<std::shared_ptr<const std::byte>> lent_;  ///< constants, by tensor, until their last reader is done
  std::vector<int> last_use_;
};

}  // namespace

Values execute(const Network& network, Values inputs, const ExecuteOptions& options) {
  Execution execution(network, options);
  execution.take_inputs(inputs);
  for (std::size_t i = 0; i < network.operators.size(); ++i) execution.run(i);
  return execution.result();
}

bool can_execute(std::string_view operator_type) {
  return reference::operator_table().find(operator_type) != reference::operator_table().end();
}

}  // namespace accord
