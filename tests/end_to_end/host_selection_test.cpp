// What exporters write and no unit does: dynamically quantised products' scales, and elements that indices choose.
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/network/canonicalise.h"
#include "tests/end_to_end/machines.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t selection_seed = 31;

/// A network in form 1, written operator by operator.
class Written {
 public:
  TensorId tensor(ElementType type, Shape shape) {
    return network.add({"t", type, std::move(shape), nullptr, std::nullopt});
  }

  TensorId input(Shape shape) {
    network.inputs.push_back(tensor(ElementType::fp32, std::move(shape)));
    return network.inputs.back();
  }

  std::vector<TensorId> op(const std::string& type, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
                           std::map<std::string, Attribute> attributes = {}) {
    const auto name = type + std::to_string(network.operators.size());
    network.operators.push_back({name, type, std::move(inputs), outputs, std::move(attributes)});
    return outputs;
  }

  TensorId real(const std::string& type, std::vector<TensorId> inputs, const Shape& shape,
                std::map<std::string, Attribute> attributes = {}) {
    return op(type, std::move(inputs), {tensor(ElementType::fp32, shape)}, std::move(attributes))[0];
  }

  Network finish(std::vector<TensorId> outputs) {
    network.outputs = std::move(outputs);
    canonicalise(network);
    return network;
  }

  Network network;
};

/// Quantised as onnxruntime's quantize_dynamic does: y = float(q(x) * w) * (scale of x * scale of w).
TensorId dynamic_product(Written& n, TensorId x, std::int64_t tokens, std::int64_t from, std::int64_t to) {
  const auto parts =
      n.op("DynamicQuantizeLinear", {x},
           {n.tensor(ElementType::u8, {tokens, from}), n.tensor(ElementType::fp32, {}), n.tensor(ElementType::u8, {})});
  std::vector<std::int8_t> weights(static_cast<std::size_t>(from * to));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::int8_t>(i * 37 % 251 - 125);
  const auto w = n.network.add(make_constant("w", {from, to}, weights));
  const auto w_scale = n.network.add(make_constant("scale", {}, std::vector{0.004F}));
  const auto sums = n.op("MatMulInteger", {parts[0], w, parts[2]}, {n.tensor(ElementType::i32, {tokens, to})});
  const auto real = n.real("Cast", sums, {tokens, to}, {{"to", std::int64_t{1}}});
  return n.real("Mul", {real, n.real("Mul", {parts[1], w_scale}, {})}, {tokens, to});
}

}  // namespace

TEST_CASE("do dynamically quantised products run on units that multiply bytes") {
  for (const char* name : {"gemmini16", "hvx", "tpu_v4"}) {
    CAPTURE(name);
    Written n;
    const auto x = n.input({12, 32});
    const auto hidden = n.real("Relu", {dynamic_product(n, x, 12, 32, 48)}, {12, 48});
    const auto network = n.finish({dynamic_product(n, hidden, 12, 48, 20)});
    const auto layers = run_checked(machine(name), network, selection_seed).report.layers;
    const auto on_machine = std::count_if(layers.begin(), layers.end(), [](const auto& layer) {
      return layer.op == "Gemm" && layer.placed_on != "host";
    });
    CHECK(on_machine == 2);
  }
}

TEST_CASE("are they the host's where sums have no way out") {
  Written n;
  const auto x = n.input({12, 32});
  const auto network = n.finish({dynamic_product(n, x, 12, 32, 20)});
  for (const char* name : {"tpu_v1", "bf16npu"}) run_checked(machine(name), network, selection_seed);
}

TEST_CASE("does the host choose and put elements as the reference does") {
  for (const char* name : {"gemmini16", "bf16npu"}) {
    CAPTURE(name);
    Written n;
    const auto x = n.input({3, 8});
    const auto top = n.op("TopK", {x}, {n.tensor(ElementType::fp32, {3, 2}), n.tensor(ElementType::i64, {3, 2})},
                          {{"axis", std::int64_t{1}}, {"largest", std::int64_t{1}}});
    const auto changed = n.real("ScatterElements", {x, top[1], n.real("Neg", {top[0]}, {3, 2})}, {3, 8},
                                {{"axis", std::int64_t{1}}, {"reduction", std::string("add")}});
    const auto tuples = n.network.add(make_constant("at", {2, 2}, std::vector<std::int64_t>{2, 1, 0, -1}));
    const auto taken = n.real("GatherND", {changed, tuples}, {2});
    const auto put = n.real("ScatterND", {changed, tuples, taken}, {3, 8});
    const auto sums = n.real("CumSum", {put}, {3, 8}, {{"axis", std::int64_t{1}}, {"reverse", std::int64_t{1}}});
    const auto waves = n.real("Sin", {sums}, {3, 8});
    run_checked(machine(name), n.finish({waves, n.real("Hardmax", {sums}, {3, 8}, {{"axis", std::int64_t{1}}})}),
                selection_seed);
  }
}
