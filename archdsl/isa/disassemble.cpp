#include <fmt/format.h>

#include <algorithm>

#include "archdsl/isa/asm_text.h"
#include "archdsl/isa/base64.h"
#include "archdsl/isa/program.h"
#include "archdsl/isa/program_json.h"

namespace accord {
namespace {

constexpr std::size_t bytes_per_line = 3 * 1024;

class Disassembler {
 public:
  Disassembler(const Architecture& architecture, const Program& program)
      : architecture_(architecture),
        isa_(architecture.isa),
        program_(program),
        decoder_(isa_),
        count_(program.text.size() / decoder_.size()) {
    for (const Mnemonic& mnemonic : isa_.mnemonics) {
      std::vector<std::string>& prefixes = prefixes_.emplace_back();
      for (const Field& field : mnemonic.fields) prefixes.push_back((prefixes.empty() ? " " : ", ") + field.name + "=");
    }
    std::size_t image_bytes = 0;
    for (const Image& image : program.images) image_bytes += image.bytes.size();
    out_.reserve(count_ * 64 + image_bytes / 2 * 3 + 4096);
  }

  std::string run() {
    header();
    for (const Symbol& symbol : program_.symbols) put(symbol);
    for (const Layer& layer : program_.layers) line(".layer ", print_json(to_json(layer)));
    instructions();
    for (const Image& image : program_.images) put(image);
    return std::move(out_);
  }

 private:
  void line(std::string_view directive, std::string_view text) {
    out_ += directive;
    out_ += text;
    out_ += '\n';
  }

  void number(std::int64_t value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
  }

  void header() {
    out_ += "# Accord assembly\n.architecture ";
    append_word(out_, program_.architecture);
    out_ += ' ';
    append_word(out_, program_.architecture_hash);
    out_ += '\n';
    if (program_.controller == architecture_.controller.name) return;
    out_ += ".controller ";
    append_word(out_, program_.controller);
    out_ += '\n';
  }

  void list(const std::vector<std::int64_t>& values) { out_ += fmt::format(" [{}]", fmt::join(values, ",")); }

  void put(const Symbol& symbol) {
    out_ += ".symbol ";
    append_word(out_, symbol.name);
    out_ += ' ';
    append_word(out_, symbol.memory);
    out_ += fmt::format(" {:#x} {}", symbol.address, name(symbol.type));
    list(symbol.shape);
    list(symbol.strides);
    if (!symbol.split.empty()) list(symbol.split);
    out_ += ' ';
    out_ += name(symbol.role);
    if (!symbol.whole.empty()) {
      out_ += ' ';
      append_word(out_, symbol.whole);
      list(symbol.origin);
    }
    out_ += '\n';
  }

  void put(const Image& image) {
    out_ += ".image ";
    append_word(out_, image.memory);
    out_ += fmt::format(" {:#x} ", image.address);
    const auto size = static_cast<std::int64_t>(image.bytes.size());
    if (image.zeros > 0) {
      out_ += fmt::format("zeros {}\n", image.zeros);
      return;
    }
    out_ += fmt::format("base64 {}\n", size);
    for (std::size_t at = 0; at < image.bytes.size(); at += bytes_per_line) {
      const std::size_t part = std::min(bytes_per_line, image.bytes.size() - at);
      append_base64(out_, std::span(image.bytes).subspan(at, part));
      out_ += '\n';
    }
  }

  /// True where `.at` lines between the instructions can say it: no overlaps, nothing beyond the end.
  bool map_is_plain() const {
    std::int64_t end = 0;
    for (const MapEntry& entry : program_.map) {
      if (entry.first < end || entry.count < 0 || entry.count > static_cast<std::int64_t>(count_) - entry.first) {
        return false;
      }
      end = entry.first + entry.count;
    }
    return true;
  }

  void statement(const MapEntry& entry) {
    number(entry.layer);
    out_ += ' ';
    append_quoted(out_, entry.statement);
    out_ += '\n';
  }

  /// The map's lines that stand before instruction `index`.
  void map_lines(std::int64_t index) {
    while (true) {
      const bool more = next_ < program_.map.size();
      const bool starts = more && program_.map[next_].first == index;
      if (open_end_ == index && !starts && index < static_cast<std::int64_t>(count_)) out_ += ".at none\n";
      if (!starts) return;
      const MapEntry& entry = program_.map[next_++];
      out_ += ".at ";
      statement(entry);
      open_end_ = index + entry.count;
    }
  }

  /// True where `.run` lines between the instructions can say which belong to which stage, so that an instruction may
  /// be put in or taken out of the text: one stage's end is the next one's beginning.
  bool stages_are_plain() const {
    std::int64_t end = -1;
    for (const Stage& stage : program_.stages) {
      if (stage.host) continue;
      const bool named = stage.layer != -1 || !stage.work.statements.empty() || !stage.work.operands.empty() ||
                         !stage.work.iterators.empty();
      if (named || stage.first < 0 || stage.count < 0 || (end >= 0 && stage.first != end)) return false;
      end = stage.first + stage.count;
    }
    return end < 0 || end == static_cast<std::int64_t>(count_);
  }

  /// The stages that begin before instruction `index`, each with the host's stages ahead of it.
  void stage_lines(std::int64_t index) {
    const auto& stages = program_.stages;
    for (std::size_t i = next_stage_; i < stages.size(); ++i) {
      if (stages[i].host) continue;
      if (stages[i].first != index) return;
      explicit_stages(i);
      out_ += ".run\n";
      next_stage_ = i + 1;
    }
  }

  void explicit_stages(std::size_t end) {
    for (; next_stage_ < end; ++next_stage_) line(".stage ", print_json(to_json(program_.stages[next_stage_])));
  }

  void instructions() {
    if (!stages_are_plain()) explicit_stages(program_.stages.size());
    const bool plain = map_is_plain();
    if (!plain) {
      for (const MapEntry& entry : program_.map) {
        out_ += fmt::format(".map {} {} ", entry.first, entry.count);
        statement(entry);
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      stage_lines(static_cast<std::int64_t>(i));
      if (plain) map_lines(static_cast<std::int64_t>(i));
      instruction(i);
    }
    stage_lines(static_cast<std::int64_t>(count_));
    explicit_stages(program_.stages.size());
    if (plain) map_lines(static_cast<std::int64_t>(count_));
    const std::size_t whole = count_ * decoder_.size();
    if (program_.text.size() > whole) raw(std::span(program_.text).subspan(whole));
  }

  void raw(std::span<const std::byte> bytes) {
    out_ += ".bytes ";
    for (const std::byte b : bytes) fmt::format_to(std::back_inserter(out_), "{:02x}", std::to_integer<unsigned>(b));
    out_ += '\n';
  }

  /// Bits outside the fields would be lost in text: such instructions stay bytes.
  bool is_exact(const std::byte* at) {
    if (!decoder_.decode(at, instruction_)) return false;
    again_.resize(decoder_.size());
    encode(isa_, instruction_, again_.data());
    return std::equal(again_.begin(), again_.end(), at);
  }

  void instruction(std::size_t index) {
    const std::span<const std::byte> bytes = std::span(program_.text).subspan(index * decoder_.size(), decoder_.size());
    if (!is_exact(bytes.data())) {
      raw(bytes);
      return;
    }
    const auto mnemonic = static_cast<std::size_t>(instruction_.mnemonic);
    out_ += isa_.mnemonics[mnemonic].name;
    for (std::size_t f = 0; f < instruction_.fields.size(); ++f) {
      out_ += prefixes_[mnemonic][f];
      number(instruction_.fields[f]);
    }
    out_ += "  # ";
    number(static_cast<std::int64_t>(index));
    out_ += '\n';
  }

  const Architecture& architecture_;
  const Isa& isa_;
  const Program& program_;
  Decoder decoder_;
  std::size_t count_;                               ///< whole instructions
  std::vector<std::vector<std::string>> prefixes_;  ///< by mnemonic and field: ", rows="
  std::string out_;
  Instruction instruction_;
  std::vector<std::byte> again_;
  std::size_t next_ = 0;  ///< map entry
  std::size_t next_stage_ = 0;
  std::int64_t open_end_ = -1;  ///< where the map entry that was printed last ends
};

}  // namespace

std::string disassemble(const Architecture& architecture, const Program& program) {
  return Disassembler(architecture, program).run();
}

}  // namespace accord
