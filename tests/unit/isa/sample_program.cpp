#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <span>

#include "sample_isa.h"

namespace accord::test {
namespace {

class Generator {
 public:
  Generator(std::mt19937_64& random, const Architecture& architecture)
      : random_(random), architecture_(architecture), size_(static_cast<std::size_t>(architecture.isa.width) / 8) {}

  Program run() {
    program_.architecture = architecture_.name;
    program_.architecture_hash = architecture_.hash;
    program_.controller = architecture_.controller.name;
    instructions();
    for (auto n = pick(0, 4); n > 0; --n) image();
    for (auto n = pick(0, 6); n > 0; --n) symbol();
    for (auto n = pick(0, 5); n > 0; --n) layer();
    for (auto n = pick(0, 4); n > 0; --n) stage();
    map();
    return std::move(program_);
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  std::string text() {
    static const std::string letters = "abcXYZ019._/-:#\"\\ ,=\t\n[]{}\xc3\xa9";
    std::string result;
    for (auto n = pick(0, 12); n > 0; --n) {
      const auto at = static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(letters.size()) - 2));
      result += at + 2 >= letters.size() ? "\xc3\xa9" : letters.substr(at, 1);
    }
    return result;
  }

  std::vector<std::byte> bytes(std::int64_t count) {
    std::vector<std::byte> result(static_cast<std::size_t>(count));
    const bool zero = pick(0, 3) == 0;
    for (std::byte& b : result) b = zero ? std::byte{0} : static_cast<std::byte>(random_());
    return result;
  }

  const std::string& memory() {
    const auto last = static_cast<std::int64_t>(architecture_.memories.size()) - 1;
    return architecture_.memories[static_cast<std::size_t>(pick(0, last))].name;
  }

  const std::string& roomiest() {
    return std::ranges::max_element(architecture_.memories, {}, &Memory::capacity)->name;
  }

  std::int64_t address() { return pick(0, 1) == 0 ? pick(0, 100) : pick(0, 1 << 29); }

  void instructions() {
    count_ = pick(0, 60);
    program_.text.resize(static_cast<std::size_t>(count_) * size_);
    for (std::int64_t i = 0; i < count_; ++i) {
      std::byte* at = &program_.text[static_cast<std::size_t>(i) * size_];
      if (pick(0, 20) == 0) {
        for (std::size_t b = 0; b < size_; ++b) at[b] = static_cast<std::byte>(random_());
      } else {
        encode(architecture_.isa, random_instruction(random_, architecture_.isa), at);
      }
    }
    if (pick(0, 9) == 0) program_.text.resize(program_.text.size() + static_cast<std::size_t>(pick(0, 1)));
  }

  void image() {
    program_.images.push_back({memory(), address(), bytes(pick(0, 1) == 0 ? pick(0, 40) : pick(0, 9000))});
  }

  void symbol() {
    Symbol symbol;
    symbol.name = text() + std::to_string(program_.symbols.size());
    symbol.memory = roomiest();
    symbol.address = pick(1 << 28, 1 << 29);  // room for strides to either side
    symbol.type = static_cast<ElementType>(pick(0, 10));
    symbol.role = static_cast<Symbol::Role>(pick(0, 3));
    for (auto n = pick(0, 4); n > 0; --n) {
      symbol.shape.push_back(pick(0, 100));
      symbol.strides.push_back(pick(-1000, 1000));
    }
    if (!symbol.shape.empty() && symbol.shape.back() > 0 && pick(0, 2) == 0) {
      symbol.split = symbol.shape;
      symbol.split.back() *= 2;
      symbol.shape.back() *= 10;
      symbol.split.push_back(5);
      symbol.strides.push_back(pick(-1000, 1000));
    }
    if (pick(0, 2) == 0) {
      symbol.whole = "whole" + text();
      for (std::size_t i = 0; i < symbol.shape.size(); ++i) symbol.origin.push_back(pick(0, 100));
    }
    program_.symbols.push_back(symbol);
  }

  void layer() {
    Layer layer{text(), text(), text(), text(), text(), pick(0, INT64_MAX), pick(0, 9), pick(0, 5), pick(0, 1), {}};
    for (auto n = pick(0, 2); n > 0; --n) layer.outputs.push_back(text());
    layer.fusion = text();
    program_.layers.push_back(layer);
  }

  int any_layer() { return static_cast<int>(pick(-1, static_cast<std::int64_t>(program_.layers.size()) - 1)); }

  void stage() {
    Stage stage{any_layer(), pick(0, 1) == 1, pick(0, count_), pick(0, count_), {}};
    static const double outsides[] = {
        0.0,   -0.0, 0.1, -128, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        5e-324};
    for (auto n = pick(0, 2); n > 0; --n) {
      stage.work.statements.push_back(text());
      stage.work.operands.push_back(
          {text(), static_cast<ElementType>(pick(0, 10)), text(), {pick(0, 9), pick(0, 9)}, outsides[pick(0, 6)]});
      stage.work.iterators.push_back({text(), pick(0, 1000)});
    }
    program_.stages.push_back(stage);
  }

  void map() {
    const bool overlap = pick(0, 5) == 0;
    std::int64_t at = 0;
    for (auto n = pick(0, 8); n > 0; --n) {
      at += pick(0, 5);
      const std::int64_t length = pick(0, 9);
      if (!overlap && at + length > count_) return;
      program_.map.push_back({at, length, any_layer(), text()});
      at += overlap ? 0 : length;
    }
  }

  std::mt19937_64& random_;
  const Architecture& architecture_;
  std::size_t size_;
  std::int64_t count_ = 0;
  Program program_;
};

std::string hex(std::span<const std::byte> bytes) {
  std::string result;
  for (const std::byte b : bytes) result += fmt::format("{:02x}", static_cast<unsigned>(b));
  return result;
}

}  // namespace

Program random_program(std::mt19937_64& random, const Architecture& architecture) {
  return Generator(random, architecture).run();
}

std::string describe(const Program& p) {
  std::string out = fmt::format("{}|{}|{}\ntext {}\n", p.architecture, p.architecture_hash, p.controller, hex(p.text));
  for (const Image& i : p.images) out += fmt::format("image {} {} {} {}\n", i.memory, i.address, hex(i.bytes), i.zeros);
  for (const Symbol& s : p.symbols) {
    out += fmt::format("symbol {} {} {} {} {} {} {}\n", s.name, s.memory, s.address, name(s.type), s.shape, s.strides,
                       static_cast<int>(s.role));
  }
  for (const Layer& l : p.layers) {
    out += fmt::format("layer {}|{}|{}|{}|{}|{} {} {} {} {}\n", l.name, l.op, l.placed_on, l.capability, l.reason,
                       l.macs, l.bound_cycles, l.compute_cycles, l.compulsory_bytes, fmt::join(l.outputs, "|"));
  }
  for (const Stage& s : p.stages) {
    out += fmt::format("stage {} {} {} {} {}\n", s.layer, s.host, s.first, s.count, fmt::join(s.work.statements, "|"));
    for (const HostOperand& o : s.work.operands) {
      out += fmt::format("  {}|{}|{}|{}|{}\n", o.name, name(o.type), o.symbol, o.shape, o.outside);
    }
    for (const Iterator& i : s.work.iterators) out += fmt::format("  {} {}\n", i.name, i.extent);
  }
  for (const MapEntry& m : p.map) out += fmt::format("map {} {} {} {}\n", m.first, m.count, m.layer, m.statement);
  return out;
}

}  // namespace accord::test
