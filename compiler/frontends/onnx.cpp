#include "compiler/frontends/onnx.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/not_numbers.h"
#include "compiler/frontends/onnx_bodies.h"
#include "compiler/frontends/onnx_constant.h"
#include "compiler/frontends/onnx_control_flow.h"
#include "compiler/frontends/onnx_node.h"
#include "compiler/frontends/onnx_schema.h"
#include "compiler/frontends/onnx_sizes.h"
#include "compiler/frontends/onnx_types.h"
#include "compiler/frontends/seeded.h"
#include "compiler/network/unused.h"

namespace accord {

namespace {

/// Where a tensor is used as an input.
struct Use {
  std::string op_type;
  int input = 0;
};

class OnnxImporter {
 public:
  OnnxImporter(OnnxFile& file, const OnnxOptions& options) : file_(file), options_(options), sizes_(options_) {}

  Network run() {
    network_.name = file_.model.graph().name();
    collect_uses();
    read_initialisers();
    read_inputs();
    sizes_.check(file_.model.graph());
    for (const auto& node : file_.model.graph().node()) import_node(node);
    for (const auto& output : file_.model.graph().output()) {
      network_.outputs.push_back(output_of(find(output.name())));
      compare_declared("output", output, network_.tensor(network_.outputs.back()));
    }
    for (const auto& value : file_.model.graph().value_info()) {
      const auto found = tensors_.find(value.name());
      if (found != tensors_.end()) compare_declared("result", value, network_.tensor(found->second));
    }
    if (network_.outputs.empty()) throw Error("the graph has no outputs");
    remove_unused(network_);
    return std::move(network_);
  }

 private:
  /// Sizes that do not fit may be those that were assumed.
  void infer(const OnnxRule& rule, OnnxNode& node) const {
    try {
      rule.infer(node);
    } catch (const Error& error) {
      throw Error(error.what() + sizes_.assumed());
    }
  }

  TensorId output_of(TensorId id);
  void compare_declared(const char* what, const onnx::ValueInfoProto& declaration, const Tensor& tensor);
  void collect_uses();
  void collect_uses(const onnx::NodeProto& node);
  void read_initialisers();
  void read_initialiser(onnx::TensorProto& proto, std::span<const std::byte> raw);
  void read_inputs();
  void learn_sizes();
  bool is_input(const std::string& name) const;
  void compare_with_initialiser(const onnx::ValueInfoProto& input) const;
  void read_input(const onnx::ValueInfoProto& input);
  bool is_stripped_weight(const std::string& name) const;
  void import_node(const onnx::NodeProto& proto);
  void import_inlined(const std::vector<onnx::NodeProto>& nodes);
  GraphAround around();
  OnnxNode read_node(const onnx::NodeProto& proto);
  void add_results(OnnxNode& node, const onnx::NodeProto& proto);
  void warn_of_wider_type(const OnnxNode& node);
  void add_operator(OnnxNode& node, const std::vector<TensorId>& outputs);
  void add_reshaped_operator(OnnxNode& node, const std::vector<TensorId>& outputs);
  TensorId define(const std::string& name, Tensor tensor);
  TensorId find(const std::string& name) const;
  bool used(const std::string& name) const { return !name.empty() && uses_.contains(name); }
  std::string unique_operator_name(const onnx::NodeProto& proto);
  void seed(Tensor& tensor, const std::string& why);
  void count_constant(std::size_t size);

  OnnxFile& file_;
  OnnxOptions options_;
  Network network_;
  std::unordered_map<std::string, TensorId> tensors_;
  std::unordered_map<std::string, std::vector<Use>> uses_;
  std::unordered_set<std::string> produced_;
  std::unordered_set<std::string> operator_names_;
  InliningBudget inlined_;
  std::int64_t constant_bytes_ = 0;
  DynamicSizes sizes_;
  OnnxTypes types_;
};

void OnnxImporter::collect_uses() {
  for (const auto& node : file_.model.graph().node()) {
    collect_uses(node);
    for (const auto& output : node.output()) produced_.insert(output);
  }
  for (const auto& output : file_.model.graph().output()) uses_[output.name()];
}

/// Graphs inside it use what is around them, too.
void OnnxImporter::collect_uses(const onnx::NodeProto& node) {
  for (int i = 0; i < node.input_size(); ++i) uses_[node.input(i)].push_back({node.op_type(), i});
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const auto& inner : attribute.g().node()) collect_uses(inner);
    for (const auto& output : attribute.g().output()) uses_[output.name()];
  }
}

TensorId OnnxImporter::define(const std::string& name, Tensor tensor) {
  if (name.empty()) throw Error("a tensor without a name");
  tensor.name = name;
  network_.tensors.push_back(std::move(tensor));
  const auto id = static_cast<TensorId>(network_.tensors.size()) - 1;
  if (!tensors_.emplace(name, id).second) throw Error(fmt::format("tensor '{}' is defined twice", name));
  return id;
}

TensorId OnnxImporter::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  if (produced_.contains(name)) {
    throw Error(
        fmt::format("tensor '{}' is used before the node that makes it: nodes must stand in the order in which "
                    "they can run, so that none leads back to itself",
                    name));
  }
  throw Error(fmt::format("tensor '{}' is used, and no node, input or initialiser makes it", name));
}

void OnnxImporter::count_constant(std::size_t size) {
  constant_bytes_ += static_cast<std::int64_t>(size);
  if (constant_bytes_ > max_constant_bytes) {
    throw Error(fmt::format("the constants take more than {} GiB", max_constant_bytes >> 30));
  }
}

void OnnxImporter::seed(Tensor& tensor, const std::string& why) {
  if (tensor.type != ElementType::fp32) throw Error(fmt::format("'{}' has no values: {}", tensor.name, why));
  const auto uses = uses_.find(tensor.name);
  const auto use = uses == uses_.end() || uses->second.empty() ? Use{"MatMul", 1} : uses->second.front();
  const auto values = seeded_parameter(use.op_type, use.input, tensor.shape, tensor.name, options_.seed);
  tensor.data = make_constant("", tensor.shape, values).data;
  network_.warnings.push_back(fmt::format("'{}' got seeded values: {}", tensor.name, why));
}

void OnnxImporter::read_initialisers() {
  std::size_t number = 0;
  for (auto& proto : *file_.model.mutable_graph()->mutable_initializer()) {
    try {
      read_initialiser(proto, file_.raw.empty() ? std::span<const std::byte>() : file_.raw[number++]);
    } catch (const Error& error) {
      throw Error(fmt::format("initialiser '{}': {}", proto.name(), error.what()));
    }
  }
}

void OnnxImporter::read_initialiser(onnx::TensorProto& proto, std::span<const std::byte> raw) {
  auto tensor = read_tensor(file_, proto, raw);
  const std::unique_ptr<std::string> read(proto.release_raw_data());  // freed, where clearing would keep it
  proto.clear_float_data();
  if (!tensor) {
    tensor.emplace();
    tensor->name = proto.name();
    tensor->type = constant_type_of(proto.data_type());
    tensor->shape.assign(proto.dims().begin(), proto.dims().end());
    seed(*tensor, "its external data file does not exist");
  }
  count_constant(tensor->data->size());
  types_.declare(proto.name(), proto.data_type());
  define(proto.name(), *std::move(tensor));
}

bool OnnxImporter::is_stripped_weight(const std::string& name) const {
  const auto uses = uses_.find(name);
  if (!options_.seed_weight_inputs || uses == uses_.end() || uses->second.empty()) return false;
  return std::all_of(uses->second.begin(), uses->second.end(),
                     [](const Use& use) { return is_parameter(use.op_type, use.input); });
}

Tensor constant_from(const Value& value, Tensor tensor) {
  if (value.type != tensor.type) throw Error("the known value has another type");
  tensor.shape = value.shape;
  tensor.data = owned(value.data);
  return tensor;
}

void OnnxImporter::read_input(const onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type()) throw Error("only tensors are supported");
  Tensor tensor;
  tensor.name = input.name();
  tensor.type = element_type_of(input.type().tensor_type().elem_type());
  types_.declare(input.name(), input.type().tensor_type().elem_type());
  tensor.shape = sizes_.shape_of(input, network_.inputs.size(), network_.warnings);
  if (const auto known = options_.known_inputs.find(input.name()); known != options_.known_inputs.end()) {
    define(input.name(), constant_from(known->second, tensor));
  } else if (is_stripped_weight(input.name()) && sizes_.given(input.name(), network_.inputs.size()) != tensor.shape) {
    seed(tensor, "the model has no weights for it");
    count_constant(tensor.data->size());
    define(input.name(), std::move(tensor));
  } else {
    network_.inputs.push_back(define(input.name(), std::move(tensor)));
  }
}

/// Old exporters list initialisers among the inputs, too: with their shapes.
void OnnxImporter::compare_with_initialiser(const onnx::ValueInfoProto& input) const {
  const auto found = tensors_.find(input.name());
  const auto& declared = input.type().tensor_type();
  if (found == tensors_.end() || !declared.has_shape()) return;
  const Shape& shape = network_.tensor(found->second).shape;
  const auto& dims = declared.shape().dim();
  const auto differs = [](const auto& dim, std::int64_t size) {
    return dim.dim_value() > 0 && dim.dim_value() != size;
  };
  if (std::ranges::equal(dims, shape, std::not_fn(differs))) return;
  throw Error(fmt::format("its initialiser has the shape {}, which is not the declared one", to_string(shape)));
}

/// Old exporters list initialisers, and names that a node gives, among the inputs too.
bool OnnxImporter::is_input(const std::string& name) const {
  return !tensors_.contains(name) && !produced_.contains(name) && !options_.known_inputs.contains(name);
}

/// What the inputs' files say of dimensions with names, whichever input comes first.
void OnnxImporter::learn_sizes() {
  std::size_t number = 0;
  for (const auto& input : file_.model.graph().input()) {
    if (!is_input(input.name())) continue;
    const bool fits = sizes_.learn(input, number);
    if (fits || !is_stripped_weight(input.name())) ++number;
  }
}

void OnnxImporter::read_inputs() {
  learn_sizes();
  std::unordered_set<std::string> names;
  for (const auto& input : file_.model.graph().input()) {
    try {
      if (!names.insert(input.name()).second) throw Error("two inputs of this name");
      compare_with_initialiser(input);
      if (!is_input(input.name()) && !options_.known_inputs.contains(input.name())) continue;
      read_input(input);
    } catch (const Error& error) {
      throw Error(fmt::format("input '{}': {}", input.name(), error.what()));
    }
  }
}

std::string OnnxImporter::unique_operator_name(const onnx::NodeProto& proto) {
  auto name = proto.name();
  if (name.empty() && proto.output_size() > 0) name = proto.output(0);
  if (name.empty()) name = proto.op_type();
  const auto base = name;
  for (int i = 1; !operator_names_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

std::optional<Attribute> read_attribute(const onnx::AttributeProto& proto) {
  switch (proto.type()) {
    case onnx::AttributeProto::INT: return proto.i();
    case onnx::AttributeProto::FLOAT: return static_cast<double>(proto.f());
    case onnx::AttributeProto::STRING: return proto.s();
    case onnx::AttributeProto::INTS: return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case onnx::AttributeProto::FLOATS: return std::vector<double>(proto.floats().begin(), proto.floats().end());
    case onnx::AttributeProto::STRINGS: return fmt::format("{}", fmt::join(proto.strings(), ","));
    default: return std::nullopt;  // tensors are read by the rules that know them
  }
}

OnnxNode OnnxImporter::read_node(const onnx::NodeProto& proto) {
  OnnxNode node;
  node.file = &file_;
  node.proto = &proto;
  node.types = &types_;
  node.op.type = proto.op_type();
  for (const auto& attribute : proto.attribute()) {
    if (auto value = read_attribute(attribute)) node.op.attributes[attribute.name()] = *std::move(value);
  }
  int count = proto.input_size();
  while (count > 0 && proto.input(count - 1).empty()) --count;
  for (int i = 0; i < count; ++i) {
    const auto id = proto.input(i).empty() ? no_tensor : find(proto.input(i));
    node.op.inputs.push_back(id);
  }
  for (const auto id : node.op.inputs) node.inputs.push_back(id == no_tensor ? nullptr : &network_.tensor(id));
  int outputs = proto.output_size();
  while (outputs > 1 && !used(proto.output(outputs - 1))) --outputs;
  node.output_count = static_cast<std::size_t>(outputs);
  return node;
}

std::string supported_operators() {
  std::string names;
  for (const auto& [name, rule] : onnx_rules()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

/// Why no network of tensors with fixed shapes can have the operator; empty where there is no such reason.
std::string obstacle(const std::string& type) {
  for (const auto* name : {"Unique", "Compress", "NonMaxSuppression"}) {
    if (type == name) return "how large its result is depends on values, and all shapes must be known";
  }
  return "";
}

/// onnxruntime's QuantizeLinear and DequantizeLinear are ONNX's, which it brings to models of operator sets that lack
/// their types.
bool is_of_onnx(const onnx::NodeProto& proto) {
  const bool quantises = proto.op_type() == "QuantizeLinear" || proto.op_type() == "DequantizeLinear";
  return proto.domain().empty() || proto.domain() == "ai.onnx" || (quantises && proto.domain() == "com.microsoft");
}

const OnnxRule& rule_for(const onnx::NodeProto& proto) {
  if (const auto why = obstacle(proto.op_type()); !why.empty()) throw Error(why);
  const auto found = onnx_rules().find(proto.op_type());
  const bool known_domain = is_of_onnx(proto);
  if (found == onnx_rules().end() || !known_domain) {
    const auto domain = known_domain ? std::string() : " of domain '" + proto.domain() + "'";
    throw Error(fmt::format("this operator{} is not supported; supported are: {}", domain, supported_operators()));
  }
  return found->second;
}

void refuse_empty_inputs(const OnnxNode& node) {
  for (const auto* input : node.inputs) {
    if (input == nullptr || input->is_constant() || element_count(input->shape) > 0) continue;
    throw Error(fmt::format("its input '{}' is empty", input->name));
  }
}

void OnnxImporter::import_node(const onnx::NodeProto& proto) {
  try {
    if (is_control_flow(proto)) return inline_control_flow(proto, unique_operator_name(proto), around());
    const auto& rule = rule_for(proto);
    check_attributes(proto, file_.opset);
    types_.check(proto, file_.opset);
    auto node = read_node(proto);
    if (node.inputs.size() < rule.min_inputs || node.inputs.size() > rule.max_inputs) {
      throw Error(
          fmt::format("{} inputs where {} to {} are allowed", node.inputs.size(), rule.min_inputs, rule.max_inputs));
    }
    if (node.output_count == 0) throw Error("no outputs");
    infer(rule, node);
    node.op.name = unique_operator_name(proto);
    if (node.results.size() < node.output_count) throw Error(fmt::format("{} outputs", node.output_count));
    add_results(node, proto);
  } catch (const Error& error) {
    const auto name = proto.name().empty() && proto.output_size() > 0 ? proto.output(0) : proto.name();
    throw Error(fmt::format("node '{}' ({}): {}", name, proto.op_type(), error.what()));
  }
}

void OnnxImporter::import_inlined(const std::vector<onnx::NodeProto>& nodes) {
  for (const auto& node : nodes) {
    inlined_.take(node);
    collect_uses(node);
  }
  for (const auto& node : nodes) import_node(node);
}

GraphAround OnnxImporter::around() {
  return {file_.opset, [this](const std::string& name) -> const Tensor& { return network_.tensor(find(name)); },
          [this](const std::vector<onnx::NodeProto>& nodes) { import_inlined(nodes); },
          [this](const std::string& name) { uses_[name]; },
          [this](const std::string& what) { network_.warnings.push_back(what); }};
}

void OnnxImporter::add_results(OnnxNode& node, const onnx::NodeProto& proto) {
  const auto constants = fold(node);
  if (!constants) refuse_empty_inputs(node);
  std::vector<TensorId> outputs;
  for (std::size_t i = 0; i < node.output_count; ++i) {
    const auto& name = proto.output(static_cast<int>(i));
    Tensor tensor{name, node.results[i].type, node.results[i].shape, nullptr, std::nullopt};
    if (constants) tensor.data = (*constants)[i];
    if (!constants && element_count(tensor.shape) == 0) throw Error("the result is empty");
    if (constants) count_constant(tensor.data->size());
    outputs.push_back(name.empty() ? no_tensor : define(name, std::move(tensor)));
  }
  if (!constants) add_operator(node, outputs);
}

/// A constant that the graph hands over is copied: outputs are operators' results.
TensorId OnnxImporter::output_of(TensorId id) {
  Tensor& constant = network_.tensor(id);
  if (!constant.is_constant()) return id;
  if (element_count(constant.shape) == 0) throw Error(fmt::format("the result '{}' is empty", constant.name));
  Tensor copy{constant.name, constant.type, constant.shape, nullptr, std::nullopt};
  constant.name = network_.names.choose(network_.tensors, constant.name + ".value");
  network_.operators.push_back({copy.name, "Reshape", {id}, {static_cast<TensorId>(network_.tensors.size())}, {}});
  network_.tensors.push_back(std::move(copy));
  return network_.operators.back().outputs[0];
}

/// Sizes that the file declares otherwise are said: the operators decide.
void OnnxImporter::compare_declared(const char* what, const onnx::ValueInfoProto& declaration, const Tensor& tensor) {
  const auto& declared = declaration.type().tensor_type();
  if (declared.elem_type() != 0 && constant_type_of(declared.elem_type()) != tensor.type) {
    network_.warnings.push_back(fmt::format("{} '{}' is declared as {}; the operators make it {}", what,
                                            declaration.name(), name(constant_type_of(declared.elem_type())),
                                            name(tensor.type)));
  }
  if (!declared.has_shape()) return;
  const auto& dims = declared.shape().dim();
  bool same = static_cast<std::size_t>(dims.size()) == tensor.shape.size();
  for (int d = 0; same && d < dims.size(); ++d) {
    same = dims[d].dim_value() <= 0 || dims[d].dim_value() == tensor.shape[static_cast<std::size_t>(d)];
  }
  if (same) return;
  std::vector<std::string> sizes;
  for (const auto& dim : dims) sizes.push_back(dim.dim_value() > 0 ? std::to_string(dim.dim_value()) : "?");
  network_.warnings.push_back(fmt::format("{} '{}' is declared as [{}]; the operators make it [{}]", what,
                                          declaration.name(), fmt::join(sizes, ","), fmt::join(tensor.shape, ",")));
}

/// A network has no type of its own for these (element_type_of).
void OnnxImporter::warn_of_wider_type(const OnnxNode& node) {
  const auto to = static_cast<int>(node.get_int("to", 0));
  const bool wider =
      to == onnx::TensorProto::UINT16 || to == onnx::TensorProto::UINT32 || to == onnx::TensorProto::UINT64;
  if (node.op.type != "Cast" || !wider) return;
  network_.warnings.push_back(
      fmt::format("'{}': values beyond {} stay as they are", node.op.name,
                  onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(to))));
}

void OnnxImporter::add_operator(OnnxNode& node, const std::vector<TensorId>& outputs) {
  warn_of_wider_type(node);
  if (node.computed_in) return add_reshaped_operator(node, outputs);
  node.op.outputs = outputs;
  network_.operators.push_back(std::move(node.op));
}

void OnnxImporter::add_reshaped_operator(OnnxNode& node, const std::vector<TensorId>& outputs) {
  const auto& result = node.results[0];
  const auto name = node.op.name;
  const auto before = network_.add({name + ".in", result.type, *node.computed_in, nullptr, std::nullopt});
  const auto after = network_.add({name + ".out", result.type, *node.computed_in, nullptr, std::nullopt});
  network_.operators.push_back({name + ".flatten", "Reshape", {node.op.inputs[0]}, {before}, {}});
  node.op.inputs = {before};
  node.op.outputs = {after};
  network_.operators.push_back(std::move(node.op));
  network_.operators.push_back({name + ".restore", "Reshape", {after}, outputs, {}});
}

}  // namespace

Network import_onnx(const std::filesystem::path& path, const OnnxOptions& options) {
  try {
    auto file = read_onnx_file(path);
    Network network = OnnxImporter(file, options).run();
    warn_of_not_numbers(network);
    return network;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace accord
