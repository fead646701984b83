#include "tests/end_to_end/random_statements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parse.h"
#include "tests/draw.h"

namespace accord::test {
namespace {

enum class Form { product, sum, maximum, add };

constexpr std::array<const char*, 4> values = {"i32(a{}) * i32(b{})", "i32(a{})", "a{}", "i32(a{}) + i32(b{})"};

/// How sums get what they begin with: nothing but instructions reaches them, or a twin of the main capability sets 0.
enum class Begin { transfer, instruction, opening };

/// What dims and iterators do: which operands they move. Results take part in all but reductions.
struct Role {
  bool a = false, b = false, c = false;
};

struct Dim {
  Role role;
  std::int64_t minimum = 1, maximum = 1, multiple = 1;
};

/// What machine and work agree on.
struct Style {
  Form form = Form::product;
  bool finishes = false;  ///< a second capability narrows the result
  Begin begin = Begin::transfer;
  std::vector<Dim> dims;
  bool has_b() const { return form == Form::product || form == Form::add; }
  bool reduces() const { return form != Form::add; }
  const char* element() const { return form == Form::maximum ? "i8" : "i32"; }
  std::int64_t element_bytes() const { return form == Form::maximum ? 1 : 4; }
};

Role draw_role(Draw& draw, const Style& style) {
  for (;;) {
    Role role{draw.once_in(2), style.has_b() && draw.once_in(2), !style.reduces() || draw.once_in(2)};
    if (role.a || role.b) return role;
  }
}

Style draw_style(Draw& draw) {
  Style style;
  style.form = static_cast<Form>(draw.from(0, 3));
  style.finishes = style.form != Form::maximum && style.form != Form::add && draw.once_in(2);
  const std::int64_t count = draw.from(1, 4);
  for (std::int64_t d = 0; d < count; ++d) {
    Dim dim;
    dim.role = draw_role(draw, style);
    dim.maximum = draw.from(1, 8);
    if (draw.once_in(6)) dim.multiple = 2;
    dim.maximum = (dim.maximum + dim.multiple - 1) / dim.multiple * dim.multiple;
    dim.minimum = dim.multiple;
    style.dims.push_back(dim);
  }
  return style;
}

std::string indices(const std::vector<std::string>& list) {
  return list.empty() ? "[0]" : fmt::format("[{}]", fmt::join(list, ","));
}

/// Writes a covenant, and for every transfer and run a mnemonic with a field per argument.
class MachineWriter {
 public:
  MachineWriter(const Style& style, Draw& draw) : style_(style), draw_(draw) {}

  std::string write() {
    place_operands();
    std::string text = "accord: 1\nname: random\nclock: 1 GHz\ncomponents:\n";
    text += fmt::format("  dram: {{kind: memory, off_chip: true, capacity: 4 MiB, word: 16 B, latency: {}}}\n",
                        draw_.from(1, 40));
    for (const auto& [name, word] : memories_) {
      text +=
          fmt::format("  {}: {{kind: memory, capacity: {} B, word: {} B, latency: {}, banks: {}}}\n", name,
                      word * (std::int64_t{8} << draw_.from(1, 7)), word, draw_.from(1, 4), draw_.once_in(2) ? 2 : 1);
    }
    text += movers();
    text += unit();
    text += "  ctl: {kind: controller}\n";
    text += sync();
    text += isa();
    return text;
  }

 private:
  struct Operand {
    std::string name, memory;
    std::vector<std::string> dims, steps;
    bool held = false;
  };

  void place_operands();
  Operand place(const std::string& name, std::int64_t bytes, const std::string& memory);
  std::string movers();
  std::string route(const std::string& from, const std::string& to, const std::string& mover);
  std::string unit();
  std::string beginning(const std::string& does, const std::string& types);
  std::string capability(const std::string& name, const std::string& does, const std::string& types,
                         const std::vector<Operand>& operands, bool all_dims);
  std::string dim_list(bool all_dims) const;
  std::string sync();
  std::string isa();
  std::string bound(const std::string& what, std::int64_t opcode, const std::vector<std::string>& arguments) const;
  bool moves(const Dim& dim, const std::string& operand) const {
    return operand == "a" ? dim.role.a : operand == "b" ? dim.role.b : dim.role.c;
  }

  const Style& style_;
  Draw& draw_;
  std::vector<Operand> operands_;
  std::vector<std::pair<std::string, std::int64_t>> memories_;
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings_;  ///< of each mnemonic, and its arguments
  bool two_hops_ = false;
  std::string sync_;
};

/// Lanes and rows wired, or some of them free; the memory's word holds the wired lanes.
MachineWriter::Operand MachineWriter::place(const std::string& name, std::int64_t bytes, const std::string& memory) {
  Operand operand;
  operand.name = name;
  operand.memory = memory;
  std::vector<std::int64_t> maxima;
  for (std::size_t d = 0; d < style_.dims.size(); ++d) {
    if (!moves(style_.dims[d], name)) continue;
    operand.dims.push_back(fmt::format("d{}", d));
    maxima.push_back(style_.dims[d].maximum);
  }
  operand.steps.assign(operand.dims.size(), "free");
  auto word = std::find_if(memories_.begin(), memories_.end(), [&](const auto& m) { return m.first == memory; });
  if (word == memories_.end()) {
    std::int64_t least = std::int64_t{1} << draw_.from(0, 4);
    least = std::max(least, bytes);
    memories_.emplace_back(memory, least);
    word = std::prev(memories_.end());
  }
  if (!operand.dims.empty() && draw_.once_in(2)) {
    while (word->second < bytes * maxima.back()) word->second *= 2;
    operand.steps.back() = fmt::format("{} B", bytes);
  }
  return operand;
}

void MachineWriter::place_operands() {
  const bool one_memory = draw_.once_in(3);
  operands_.push_back(place("a", 1, "buf"));
  if (style_.has_b()) operands_.push_back(place("b", 1, one_memory ? "buf" : "wbuf"));
  operands_.push_back(place("c", style_.element_bytes(), "acc"));
  for (auto& operand : operands_) operand.held = operand.name != "c" && draw_.once_in(4);
  two_hops_ = draw_.once_in(3);
  if (two_hops_) memories_.emplace_back("mid", 16);
  if (style_.begin == Begin::instruction) memories_.emplace_back("values", 4);
  if (style_.finishes) memories_.emplace_back("out", 1);
}

std::string MachineWriter::route(const std::string& from, const std::string& to, const std::string& mover) {
  std::string text =
      fmt::format("      - {{from: {}, to: {}, walk: [{{max: {} B}}", from, to, std::int64_t{4} << draw_.from(0, 4));
  std::vector<std::string> arguments = {"src.base", "dst.base", "n0"}, strides;
  const std::int64_t further = draw_.from(0, 2);
  for (std::int64_t d = 1; d <= further; ++d) {
    text += fmt::format(", {{max: {}, source: free, target: free}}", draw_.from(2, 16));
    arguments.push_back(fmt::format("n{}", d));
  }
  for (const char* side : {"src", "dst"}) {
    for (std::int64_t d = 1; d <= further; ++d) arguments.push_back(fmt::format("{}.stride{}", side, d));
  }
  meanings_.emplace_back(fmt::format("{{transfer: \"{}.{}->{}\"}}", mover, from, to), arguments);
  return text + "]}\n";
}

std::string MachineWriter::movers() {
  const auto begin = [&](const char* name) {
    return fmt::format("  {}:\n    kind: mover\n    request: {} B\n    in_flight: {}\n    setup: {}\n    routes:\n",
                       name, std::int64_t{8} << draw_.from(0, 4), draw_.from(1, 8), draw_.from(0, 5));
  };
  std::string text = begin("load");
  const std::string near = two_hops_ ? "mid" : "dram";
  if (two_hops_) text += route("dram", "mid", "load");
  std::string inner = two_hops_ ? begin("feed") : "";
  for (const auto& [memory, word] : memories_) {
    if (memory == "acc" && style_.begin != Begin::transfer) continue;
    if (memory != "mid" && memory != "out") inner += route(near, memory, two_hops_ ? "feed" : "load");
  }
  text += inner;
  text += begin("store");
  return text + route(style_.finishes ? "out" : "acc", "dram", "store");
}

std::string MachineWriter::dim_list(bool all_dims) const {
  std::vector<std::string> list;
  for (std::size_t d = 0; d < style_.dims.size(); ++d) {
    const Dim& dim = style_.dims[d];
    if (!all_dims && !dim.role.c) continue;
    list.push_back(fmt::format("d{}: {{min: {}, max: {}, multiple: {}}}", d, dim.minimum, dim.maximum, dim.multiple));
  }
  if (list.empty()) return "";
  return fmt::format("        dims: {{{}}}\n", fmt::join(list, ", "));
}

std::string MachineWriter::capability(const std::string& name, const std::string& does, const std::string& types,
                                      const std::vector<Operand>& operands, bool all_dims) {
  std::string text = fmt::format("      {}:\n        does: {}\n        types: {{{}}}\n{}        operands:\n", name,
                                 does, types, dim_list(all_dims));
  std::vector<std::string> arguments, strides, loads;
  for (std::size_t d = 0; d < style_.dims.size(); ++d) {
    if (all_dims || style_.dims[d].role.c) arguments.push_back(fmt::format("d{}", d));
  }
  for (const auto& operand : operands) {
    text += fmt::format("          {}: {{in: {}, steps: [{}]{}}}\n", operand.name, operand.memory,
                        operand.dims.empty() ? "free" : fmt::format("{}", fmt::join(operand.steps, ", ")),
                        operand.held ? ", held: true" : "");
    arguments.push_back(operand.name + ".base");
    for (std::size_t p = 0; p < operand.steps.size(); ++p) {
      if (operand.steps[p] == "free") strides.push_back(fmt::format("{}.stride{}", operand.name, p));
    }
    if (operand.held) loads.push_back(operand.name + ".load");
  }
  text += fmt::format("        timing: {{start: {}, interval: {}, drain: {}}}\n", draw_.from(0, 5), draw_.from(1, 9),
                      draw_.from(0, 5));
  arguments.insert(arguments.end(), strides.begin(), strides.end());
  arguments.insert(arguments.end(), loads.begin(), loads.end());
  meanings_.emplace_back(fmt::format("{{run: array.{}}}", name), arguments);
  return text;
}

/// Capabilities that set what sums begin with; `does` is the main one's statement.
std::string MachineWriter::beginning(const std::string& does, const std::string& types) {
  const Operand& c = operands_.back();
  const std::string target = "c" + indices(c.dims), zero = fmt::format("\"{} = 0\"", target);
  if (style_.begin == Begin::transfer) return "";
  if (style_.begin == Begin::opening)
    return capability("first", fmt::format("[{}, {}]", zero, does), types, operands_, true);
  std::string text = capability("zero", zero, "c: i32", {c}, false);
  if (c.dims.empty()) return text;
  const Operand values{"v", "values", {c.dims.back()}, {"free"}};
  return text +
         capability("bias", fmt::format("\"{} = v[{}]\"", target, c.dims.back()), "c: i32, v: i32", {c, values}, false);
}

std::string MachineWriter::unit() {
  const Operand& c = operands_.back();
  const std::string a = indices(operands_[0].dims), b = indices(operands_[1].dims), target = "c" + indices(c.dims);
  const std::string value = fmt::format(fmt::runtime(values[static_cast<std::size_t>(style_.form)]), a, b);
  const std::string op = style_.form == Form::maximum ? "max=" : style_.form == Form::add ? "=" : "+=";
  std::string does = fmt::format("\"{} {} {}\"", target, op, value);
  if (style_.form == Form::maximum) does = fmt::format("[\"{} = -128\", {}]", target, does);
  std::string types = fmt::format("a: i8, c: {}", style_.element());
  if (style_.has_b()) types += ", b: i8";
  std::string text = "  array:\n    kind: compute\n    capabilities:\n" +
                     capability("main", does, types, operands_, true) + beginning(does, types);
  if (!style_.finishes) return text;
  Operand y = c;
  y.name = "y";
  y.memory = "out";
  y.steps.assign(c.steps.size(), "free");
  return text + capability("finish",
                           fmt::format("\"y{} = i8(clamp(c{} >> 3, -128, 127))\"", indices(c.dims), indices(c.dims)),
                           "c: i32, y: i8", {c, y}, false);
}

std::string MachineWriter::sync() {
  switch (draw_.from(0, 2)) {
    case 0: return "sync: in_order\n";
    case 1: return fmt::format("sync: {{interlock: {{entries: {}}}}}\n", draw_.from(1, 12));
    default: sync_ = "semaphores"; return "sync: {semaphores: {count: 32, max: 255}}\n";
  }
}

std::string MachineWriter::bound(const std::string& what, std::int64_t opcode,
                                 const std::vector<std::string>& arguments) const {
  std::vector<std::string> fields, args;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    fields.push_back(fmt::format("f{}: {{bits: 24, unit: 1}}", i));
    args.push_back(fmt::format("{}: f{}", arguments[i], i));
  }
  return fmt::format("    m{}: {{means: {}, opcode: {}, fields: {{{}}}, args: {{{}}}}}\n", opcode, what, opcode,
                     fmt::join(fields, ", "), fmt::join(args, ", "));
}

std::string MachineWriter::isa() {
  std::string text =
      "isa:\n  width: 1024\n  opcode: {offset: 0, bits: 8}\n  mnemonics:\n    fence: {means: fence, opcode: 1}\n";
  std::int64_t opcode = 2;
  for (const auto& [what, arguments] : meanings_) text += bound(what, opcode++, arguments);
  if (sync_.empty()) return text;
  for (const char* unit : {"load", "feed", "store", "array"}) {
    if (std::string(unit) == "feed" && !two_hops_) continue;
    for (const char* way : {"wait", "signal"}) {
      text += fmt::format("    {}_{}: {{means: {{{}: {}}}, opcode: {}, fields: {{semaphore: 8}}}}\n", way, unit, way,
                          unit, opcode++);
    }
  }
  return text;
}

Style style_of(std::uint64_t seed) {
  Draw draw(seed), apart(seed * 7919 + 1);  // so that machines that once were wrong stay what they were
  Style style = draw_style(draw);
  if (style.form == Form::product || style.form == Form::sum) {
    if (apart.once_in(6)) style.begin = apart.once_in(2) ? Begin::instruction : Begin::opening;
  }
  return style;
}

/// Index texts of each operand, and the shapes that they span.
class WorkWriter {
 public:
  WorkWriter(const Style& style, Draw& draw) : style_(style), draw_(draw) {}
  RandomWork write();

 private:
  struct Loop {
    std::string name;
    Role role;
    std::int64_t extent = 1;
  };
  struct Index {
    std::string text;
    std::int64_t size = 1;
  };

  void draw_loops();
  std::vector<Index> index_of(char operand);
  void add_window(std::vector<Index>& list, std::vector<const Loop*>& moving);
  TensorId tensor(const std::string& name, ElementType type, const std::vector<Index>& index, bool constant);

  const Style& style_;
  Draw& draw_;
  std::vector<Loop> loops_;
  RandomWork result_;
};

/// Mostly roles that some dim has, so that instructions have something to count.
void WorkWriter::draw_loops() {
  const std::int64_t count = draw_.from(1, 6);
  std::int64_t points = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    Loop loop;
    loop.name = fmt::format("i{}", i);
    const auto& like =
        style_.dims[static_cast<std::size_t>(draw_.from(0, static_cast<std::int64_t>(style_.dims.size()) - 1))];
    loop.role = draw_.once_in(4) ? draw_role(draw_, style_) : like.role;
    loop.extent = draw_.from(1, 9);
    if (points * loop.extent > 2000) loop.extent = draw_.from(1, 2);
    points *= loop.extent;
    loops_.push_back(loop);
  }
}

/// Two iterators in one index: i*stride + j*dilation - before.
void WorkWriter::add_window(std::vector<Index>& list, std::vector<const Loop*>& moving) {
  const Loop &p = *moving[0], &r = *moving[1];
  const std::int64_t stride = draw_.from(1, 3), dilation = draw_.from(1, 2);
  const std::int64_t reach = stride * (p.extent - 1) + dilation * (r.extent - 1) + 1;
  const std::int64_t before = style_.form == Form::maximum ? 0 : draw_.from(0, std::min<std::int64_t>(2, reach - 1));
  const std::int64_t after = style_.form == Form::maximum ? 0 : draw_.from(0, 1);
  list.push_back({fmt::format("{}*{} + {}*{} - {}", p.name, stride, r.name, dilation, before),
                  std::max<std::int64_t>(reach - before - after, 1)});
  moving.erase(moving.begin(), moving.begin() + 2);
}

std::vector<WorkWriter::Index> WorkWriter::index_of(char operand) {
  std::vector<const Loop*> moving;
  for (const auto& loop : loops_) {
    const bool moves = operand == 'a' ? loop.role.a : operand == 'b' ? loop.role.b : loop.role.c;
    if (moves) moving.push_back(&loop);
  }
  for (std::size_t i = moving.size(); i > 1; --i) {
    std::swap(moving[i - 1], moving[static_cast<std::size_t>(draw_.from(0, static_cast<std::int64_t>(i) - 1))]);
  }
  std::vector<Index> list;
  if (operand == 'a' && moving.size() > 1 && draw_.once_in(2)) add_window(list, moving);
  for (const Loop* loop : moving) list.push_back({loop->name, loop->extent});
  if (list.empty()) list.push_back({"0", 1});
  return list;
}

TensorId WorkWriter::tensor(const std::string& name, ElementType type, const std::vector<Index>& index, bool constant) {
  Tensor t;
  t.name = name;
  t.type = type;
  for (const auto& i : index) t.shape.push_back(i.size);
  if (constant) {
    std::vector<std::byte> data(static_cast<std::size_t>(element_count(t.shape) * bytes(type)));
    for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(bytes(type))) {
      store_element(data.data() + at, type, static_cast<double>(draw_.from(-100, 100)));
    }
    t.data = owned(std::move(data));
  }
  return result_.network.add(std::move(t));
}

RandomWork WorkWriter::write() {
  draw_loops();
  const ElementType sum = style_.form == Form::maximum ? ElementType::i8 : ElementType::i32;
  const auto text_of = [](const std::vector<Index>& index) {
    std::vector<std::string> list;
    for (const auto& i : index) list.push_back(i.text);
    return indices(list);
  };
  StatementContext context;
  std::map<std::string, WorkOperand> operands;
  std::vector<TensorId> read;
  const auto declare = [&](const std::string& name, ElementType type, TensorId id, bool constant) {
    context.operand_types[name] = type;
    operands[name] = {id, id == no_tensor ? Shape{} : result_.network.tensor(id).shape, 0, constant};
    if (id != no_tensor && name != "c" && name != "y") read.push_back(id);
    if (id != no_tensor && !constant && name != "c" && name != "y") result_.network.inputs.push_back(id);
  };
  const auto a = index_of('a'), b = index_of('b'), c = index_of('c');
  declare("a", ElementType::i8, tensor("a", ElementType::i8, a, false), false);
  if (style_.has_b()) {
    const bool constant = draw_.once_in(2);
    declare("b", ElementType::i8, tensor("b", ElementType::i8, b, constant), constant);
  }
  const TensorId result = tensor("y", style_.finishes ? ElementType::i8 : sum, c, false);
  const std::string target = "c" + text_of(c);
  std::vector<std::string> texts;
  if (style_.reduces()) {
    const bool bias = style_.form != Form::maximum && c[0].text != "0" && draw_.once_in(3);
    if (bias) {
      declare("bias", ElementType::i32, tensor("bias", ElementType::i32, {c.back()}, true), true);
      texts.push_back(fmt::format("{} = bias[{}]", target, c.back().text));
    } else {
      texts.push_back(fmt::format("{} = {}", target, style_.form == Form::maximum ? "-128" : "0"));
    }
  }
  const std::string value =
      fmt::format(fmt::runtime(values[static_cast<std::size_t>(style_.form)]), text_of(a), text_of(b));
  texts.push_back(fmt::format("{} {} {}", target,
                              style_.form == Form::maximum ? "max="
                              : style_.reduces()           ? "+="
                                                           : "=",
                              value));
  if (style_.finishes) {
    declare("c", sum, no_tensor, false);
    declare("y", ElementType::i8, result, false);
    texts.push_back(fmt::format("y{} = i8(clamp({} >> 3, -128, 127))", text_of(c), target));
  } else {
    declare("c", sum, result, false);
  }
  for (const auto& loop : loops_) context.iterator_order.push_back(loop.name);
  auto parsed = parse_statements(texts, context);
  if (const auto* error = std::get_if<StatementError>(&parsed))
    throw std::logic_error(texts[error->statement] + ": " + error->message);
  Work& work = result_.work;
  work.program = std::get<TensorProgram>(std::move(parsed));
  for (auto& it : work.program.iterators) {
    for (const auto& loop : loops_) {
      if (loop.name == it.name) it.extent = loop.extent;
    }
  }
  for (auto& statement : work.program.statements) {
    const auto clean = [&](Access& access) {
      for (auto& index : access.indices) {
        std::erase_if(index.terms, [&](const auto& term) { return work.program.iterators[term.first].extent == 1; });
      }
    };
    clean(statement.target);
    for (auto& access : statement.accesses) clean(access);
  }
  for (const auto& operand : work.program.operands) work.operands.push_back(operands.at(operand.name));
  for (std::size_t o = 0; o < work.operands.size(); ++o) {
    if (work.operands[o].tensor != no_tensor) continue;
    for (const auto& index : c) work.operands[o].shape.push_back(index.size);
  }
  work.operator_of.assign(work.program.statements.size(), 0);
  work.operators = {0};
  result_.network.operators.push_back({"Statements", "statements", read, {result}, {}});
  result_.network.outputs = {result};
  for (const auto& text : texts) result_.what += text + "; ";
  for (const auto& loop : loops_) result_.what += fmt::format(" {}={}", loop.name, loop.extent);
  return std::move(result_);
}

}  // namespace

std::string random_tensor_machine(std::uint64_t seed) {
  Draw draw(seed);
  const Style style = draw_style(draw);
  return MachineWriter(style, draw).write();
}

RandomWork random_tensor_work(std::uint64_t machine, std::uint64_t seed) {
  const Style style = style_of(machine);
  Draw draw(seed);
  return WorkWriter(style, draw).write();
}

}  // namespace accord::test
