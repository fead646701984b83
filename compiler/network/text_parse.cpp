#include <charconv>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/network/text.h"

namespace accord {

namespace {

/// Reads one line from left to right.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  bool at_end() {
    skip();
    return rest_.empty();
  }

  bool at_quote() {
    skip();
    return rest_.starts_with('"');
  }

  bool accept(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) throw Error(fmt::format("expected '{}' before '{}'", token, rest_.substr(0, 20)));
  }

  /// Letters, digits and `_ . /`, or a quoted string.
  std::string word() {
    skip();
    if (rest_.starts_with('"')) return quoted();
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '/'; };
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(static_cast<unsigned char>(rest_[length]))) ++length;
    if (length == 0) throw Error(fmt::format("expected a name before '{}'", rest_.substr(0, 20)));
    const std::string result(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return result;
  }

  std::string quoted() {
    expect("\"");
    std::string result;
    while (!rest_.empty() && rest_.front() != '"') {
      auto c = take();
      if (c == '\\' && !rest_.empty()) c = take() == 'n' ? '\n' : previous_;
      result += c;
    }
    expect("\"");
    return result;
  }

  /// The characters of a number.
  std::string_view number() {
    skip();
    auto length = rest_.find_first_of(",;])} \t");
    if (length == std::string_view::npos) length = rest_.size();
    const auto result = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return result;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
  }

  char take() {
    previous_ = rest_.front();
    rest_.remove_prefix(1);
    return previous_;
  }

  std::string_view rest_;
  char previous_ = 0;
};

template <typename T>
T parse_number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) throw Error(fmt::format("'{}' is no number", text));
  return value;
}

template <typename T>
std::vector<T> parse_list(LineReader& line, std::string_view close) {
  std::vector<T> values;
  if (line.accept(close)) return values;
  do {
    values.push_back(parse_number<T>(line.number()));
  } while (line.accept(","));
  line.expect(close);
  return values;
}

constexpr std::int64_t max_text_elements = std::int64_t{1} << 40;

Shape parse_shape(LineReader& line) {
  line.expect("[");
  auto shape = parse_list<std::int64_t>(line, "]");
  std::int64_t count = 1;
  for (const auto extent : shape) {
    if (extent < 0 || extent > max_text_elements || (extent > 0 && count > max_text_elements / extent)) {
      throw Error(fmt::format("a shape of [{}]", fmt::join(shape, ",")));
    }
    count *= extent;
  }
  return shape;
}

Attribute parse_attribute(LineReader& line) {
  if (line.accept("f[")) return parse_list<double>(line, "]");
  if (line.accept("[")) return parse_list<std::int64_t>(line, "]");
  if (line.at_quote()) return line.quoted();
  const auto text = line.number();
  if (text.find_first_of(".en") != std::string_view::npos) return parse_number<double>(text);
  return parse_number<std::int64_t>(text);
}

class NetworkParser {
 public:
  explicit NetworkParser(const ConstantPool& pool) : pool_(pool) {}

  Network run(const std::string& text) {
    int number = 0;
    for (std::size_t start = 0; start < text.size();) {
      const auto end = std::min(text.find('\n', start), text.size());
      ++number;
      try {
        parse_line(std::string_view(text).substr(start, end - start));
      } catch (const Error& error) {
        throw Error(fmt::format("line {}: {}", number, error.what()));
      }
      start = end + 1;
    }
    return std::move(network_);
  }

 private:
  void parse_line(std::string_view text) {
    LineReader line(text);
    if (line.at_end() || line.accept("#")) return;
    if (line.accept("network "))
      network_.name = line.quoted();
    else if (line.accept("input "))
      parse_input(line);
    else if (line.accept("constant "))
      parse_constant(line);
    else if (line.accept("output "))
      parse_output(line);
    else
      parse_operator(line);
    if (!line.at_end()) throw Error(fmt::format("'{}' is left over", line.number()));
  }

  /// %name: type[shape], quantisation
  TensorId parse_tensor(LineReader& line) {
    if (line.accept("_")) return no_tensor;
    line.expect("%");
    Tensor tensor;
    tensor.name = line.word();
    line.expect(":");
    const auto type_name = line.word();
    const auto type = parse_element_type(type_name);
    if (!type) throw Error(fmt::format("'{}' is no element type", type_name));
    tensor.type = *type;
    tensor.shape = parse_shape(line);
    if (line.accept("scale(axis=")) {
      Quantisation quantisation;
      quantisation.axis = parse_number<int>(line.number());
      line.expect(")");
      line.expect("[");
      quantisation.scale = parse_list<float>(line, "]");
      if (line.accept("zero(")) {
        quantisation.zero = parse_number<int>(line.number());
        line.expect(", reach");
        quantisation.reach = parse_number<std::int64_t>(line.number());
        line.expect(")");
      }
      tensor.quantisation = quantisation;
    }
    const auto id = static_cast<TensorId>(network_.tensors.size());
    if (!ids_.emplace(tensor.name, id).second) throw Error(fmt::format("'{}' is defined twice", tensor.name));
    network_.tensors.push_back(std::move(tensor));
    return id;
  }

  TensorId parse_reference(LineReader& line) {
    if (line.accept("_")) return no_tensor;
    line.expect("%");
    const auto name = line.word();
    const auto found = ids_.find(name);
    if (found == ids_.end()) throw Error(fmt::format("'{}' is not defined before", name));
    return found->second;
  }

  void parse_input(LineReader& line) {
    const auto id = parse_tensor(line);
    if (id == no_tensor) throw Error("an input needs a name");
    network_.inputs.push_back(id);
  }

  void parse_output(LineReader& line) {
    const auto id = parse_reference(line);
    if (id == no_tensor) throw Error("an output needs a name");
    network_.outputs.push_back(id);
  }

  void parse_constant(LineReader& line) {
    const auto id = parse_tensor(line);
    if (id == no_tensor) throw Error("a constant needs a name");
    auto& tensor = network_.tensor(id);
    line.expect("=");
    if (line.accept("#")) {
      const auto hash = line.word();
      const auto found = pool_.find(hash);
      if (found == pool_.end()) throw Error(fmt::format("no data for constant #{}", hash));
      tensor.data = found->second;
    } else {
      line.expect("{");
      tensor.data = parse_values(line, tensor.type);
    }
    const auto needed = element_count(tensor.shape) * bytes(tensor.type);
    if (std::ssize(*tensor.data) != needed)
      throw Error(fmt::format("the values of '{}' do not fit its shape", tensor.name));
  }

  static ConstantData parse_values(LineReader& line, ElementType type) {
    std::vector<std::byte> data;
    const auto size = static_cast<std::size_t>(bytes(type));
    const auto append = [&](const auto& values) {
      data.resize(values.size() * size);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (type == ElementType::i64)
          std::memcpy(data.data() + i * size, &values[i], size);
        else
          store_element(data.data() + i * size, type, static_cast<double>(values[i]));
      }
    };
    if (is_float(type))
      append(parse_list<float>(line, "}"));
    else
      append(parse_list<std::int64_t>(line, "}"));
    return owned(std::move(data));
  }

  void parse_operator(LineReader& line) {
    Operator op;
    do {
      op.outputs.push_back(parse_tensor(line));
    } while (line.accept(";"));
    line.expect("=");
    op.type = line.word();
    op.name = line.quoted();
    line.expect("(");
    if (!line.accept(")")) {
      do {
        op.inputs.push_back(parse_reference(line));
      } while (line.accept(","));
      line.expect(")");
    }
    if (line.accept("{")) parse_attributes(line, op);
    network_.operators.push_back(std::move(op));
  }

  static void parse_attributes(LineReader& line, Operator& op) {
    do {
      const auto key = line.word();
      line.expect("=");
      op.attributes[key] = parse_attribute(line);
    } while (line.accept(","));
    line.expect("}");
  }

  const ConstantPool& pool_;
  Network network_;
  std::unordered_map<std::string, TensorId> ids_;
};

}  // namespace

Network parse_network(const std::string& text, const ConstantPool& pool) { return NetworkParser(pool).run(text); }

}  // namespace accord
