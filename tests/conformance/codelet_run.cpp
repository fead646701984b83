#include "tests/conformance/codelet_run.h"

#include "archdsl/tensor/interpret.h"
#include "compiler/codelets/work.h"

namespace accord {
namespace {

class CodeletRun {
 public:
  CodeletRun(const Network& network, const Values& inputs) : network_(network), values_(network.tensors.size()) {
    for (std::size_t id = 0; id < network.tensors.size(); ++id) {
      if (network.tensors[id].is_constant()) values_[id] = network.tensors[id].data->copy();
    }
    for (const TensorId id : network.inputs) at(id) = inputs.at(network.tensor(id).name).data;
  }

  void run(int op) {
    const Work work = instantiate(network_, {op}, CodeletLibrary::shipped());
    std::vector<DenseTensor> tensors;
    for (std::size_t o = 0; o < work.operands.size(); ++o) tensors.push_back(tensor(work, o));
    interpret(work.program, tensors);
    for (std::size_t o = 0; o < work.operands.size(); ++o) {
      if (work.operands[o].tensor != no_tensor) at(work.operands[o].tensor) = tensors[o].data;
    }
  }

  Values outputs() {
    Values result;
    for (const TensorId id : network_.outputs) {
      const Tensor& t = network_.tensor(id);
      result[t.name] = {t.type, t.shape, at(id)};
    }
    return result;
  }

 private:
  std::vector<std::byte>& at(TensorId id) { return values_[static_cast<std::size_t>(id)]; }

  DenseTensor tensor(const Work& work, std::size_t o) {
    const WorkOperand& operand = work.operands[o];
    DenseTensor result{work.program.operands[o].type, operand.shape, {}, operand.outside};
    if (operand.tensor != no_tensor) result.data = at(operand.tensor);
    result.data.resize(static_cast<std::size_t>(element_count(result.shape) * bytes(result.type)));
    return result;
  }

  const Network& network_;
  std::vector<std::vector<std::byte>> values_;
};

}  // namespace

Values run_codelets(const Network& network, const Values& inputs) {
  CodeletRun run(network, inputs);
  for (std::size_t i = 0; i < network.operators.size(); ++i) run.run(static_cast<int>(i));
  return run.outputs();
}

}  // namespace accord
