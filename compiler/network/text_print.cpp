#include <cmath>
#include <cstring>
#include <unordered_set>

#include <fmt/format.h>

#include "archdsl/tensor/convert.h"
#include "compiler/network/text.h"

namespace accord {

namespace {

constexpr std::int64_t max_inline_elements = 16;

bool is_inline(const Tensor& tensor) { return element_count(tensor.shape) <= max_inline_elements; }

/// FNV-1a over 8-byte words, then over the bytes left.
std::string hash_of(std::span<const std::byte> data) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ data.size();
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3ULL, hash ^= hash >> 29; };
  std::size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, data.data() + i, 8);
    mix(word);
  }
  for (; i < data.size(); ++i) mix(std::to_integer<std::uint64_t>(data[i]));
  return fmt::format("{:016x}", hash);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result + '"';
}

bool is_word(const std::string& name) {
  if (name.empty()) return false;
  for (const unsigned char c : name) {
    if (!std::isalnum(c) && c != '_' && c != '.' && c != '/') return false;
  }
  return true;
}

std::string real(double value) {
  auto text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // inf and nan have an n
}

struct AttributePrinter {
  std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(double v) const { return real(v); }
  std::string operator()(const std::string& v) const { return quoted(v); }
  std::string operator()(const std::vector<std::int64_t>& v) const { return fmt::format("[{}]", fmt::join(v, ",")); }
  std::string operator()(const std::vector<double>& v) const { return fmt::format("f[{}]", fmt::join(v, ",")); }
};

class NetworkPrinter {
 public:
  explicit NetworkPrinter(const Network& network) : network_(network) {}

  std::string run() {
    text_ += fmt::format("network {}\n", quoted(network_.name));
    for (const auto id : network_.inputs) declare("input", id);
    for (const auto& op : network_.operators) print_operator(op);
    for (const auto id : network_.outputs) {
      constant_if_new(id);
      text_ += fmt::format("output {}\n", reference(id));
    }
    return std::move(text_);
  }

 private:
  std::string reference(TensorId id) const {
    if (id == no_tensor) return "_";
    const auto& name = network_.tensor(id).name;
    return "%" + (is_word(name) ? name : quoted(name));
  }

  std::string typed(TensorId id) const {
    if (id == no_tensor) return "_";
    const auto& tensor = network_.tensor(id);
    auto text = fmt::format("{}: {}[{}]", reference(id), name(tensor.type), fmt::join(tensor.shape, ","));
    if (tensor.quantisation) {
      const auto& q = *tensor.quantisation;
      text += fmt::format(" scale(axis={})[{}]", q.axis, fmt::join(q.scale, ","));
      if (q.zero != 0 || q.reach > signed_byte_reach) text += fmt::format(" zero({}, reach {})", q.zero, q.reach);
    }
    return text;
  }

  void declare(const char* what, TensorId id) { text_ += fmt::format("{} {}\n", what, typed(id)); }

  std::string values(const Tensor& tensor) const {
    if (!is_inline(tensor)) return "#" + hash_of(tensor.data->unaligned());
    std::string list;
    for (std::int64_t i = 0; i < element_count(tensor.shape); ++i) {
      if (i > 0) list += ", ";
      list += element(tensor, i);
    }
    return "{" + list + "}";
  }

  static std::string element(const Tensor& tensor, std::int64_t i) {
    if (tensor.type == ElementType::i64) return fmt::format("{}", constant_data<std::int64_t>(tensor)[i]);
    const auto* at = tensor.data->data() + i * bytes(tensor.type);
    const auto value = load_element(at, tensor.type);
    return is_float(tensor.type) ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  }

  void constant_if_new(TensorId id) {
    if (id == no_tensor || !network_.tensor(id).is_constant() || !constants_.insert(id).second) return;
    text_ += fmt::format("constant {} = {}\n", typed(id), values(network_.tensor(id)));
  }

  void print_operator(const Operator& op) {
    for (const auto id : op.inputs) constant_if_new(id);
    std::vector<std::string> outputs;
    std::vector<std::string> inputs;
    std::vector<std::string> attributes;
    for (const auto id : op.outputs) outputs.push_back(typed(id));
    for (const auto id : op.inputs) inputs.push_back(reference(id));
    for (const auto& [key, value] : op.attributes) {
      attributes.push_back(key + " = " + std::visit(AttributePrinter{}, value));
    }
    text_ +=
        fmt::format("{} = {} {} ({})", fmt::join(outputs, "; "), op.type, quoted(op.name), fmt::join(inputs, ", "));
    if (!attributes.empty()) text_ += fmt::format(" {{{}}}", fmt::join(attributes, ", "));
    text_ += '\n';
  }

  const Network& network_;
  std::string text_;
  std::unordered_set<TensorId> constants_;
};

}  // namespace

std::string to_text(const Network& network) { return NetworkPrinter(network).run(); }

ConstantPool constant_pool(const Network& network) {
  ConstantPool pool;
  for (const auto& tensor : network.tensors) {
    if (tensor.is_constant() && !is_inline(tensor)) pool[hash_of(tensor.data->unaligned())] = tensor.data;
  }
  return pool;
}

}  // namespace accord
