#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/image_bytes.h"
#include "archdsl/tensor/value.h"

namespace accord {

/// Bytes that a memory holds before the first instruction.
struct Image {
  std::string memory;
  std::int64_t address = 0;
  ImageBytes bytes;
  std::int64_t zeros = 0;  ///< instead of bytes: that many zeros, which the file does not store
  bool operator==(const Image&) const = default;
};

/// A tensor in a memory: element (i0, i1, ...) lies at address + sum of index * stride. An index may lie split in two
/// (rows in pairs, say): then `split` is the shape with those indices in two, and the strides are its.
struct Symbol {
  enum class Role { input, output, constant, intermediate };
  std::string name;
  std::string memory;
  std::int64_t address = 0;  ///< of element 0
  ElementType type{};
  Shape shape;                        ///< logical, in the model's index order
  std::vector<std::int64_t> strides;  ///< bytes, one per index of `extents()`
  Role role = Role::intermediate;
  std::string whole{};                 ///< tensor of which this is a part; empty: it is a tensor by itself
  std::vector<std::int64_t> origin{};  ///< of a part: index in the whole of its element 0
  Shape split{};                       ///< the same elements in the same order; empty: as `shape` has them
  const Shape& extents() const { return split.empty() ? shape : split; }
  bool operator==(const Symbol&) const = default;
};

/// An operand of a host statement: a symbol, or a temporary of the host's own (dense, row-major).
struct HostOperand {
  std::string name;  ///< as in the statements
  ElementType type{};
  std::string symbol;  ///< empty: temporary
  Shape shape;         ///< of the temporary
  double outside = 0;  ///< what reads beyond the shape yield
};

/// Tensor statements that the host executes (no capability can): their text, and their bounds.
struct HostWork {
  std::vector<std::string> statements;
  std::vector<HostOperand> operands;
  std::vector<Iterator> iterators;
};

/// One layer of the report.
struct Layer {
  std::string name;
  std::string op;
  std::string placed_on;  ///< unit, or "host"
  std::string capability;
  std::string reason;  ///< why on the host
  std::int64_t macs = 0;
  std::int64_t bound_cycles = 0;      ///< proven lower bound, from the compiler (docs/figures.md)
  std::int64_t compute_cycles = 0;    ///< of these, what follows the first instruction that computes
  std::int64_t compulsory_bytes = 0;  ///< off-chip
  std::vector<std::string> outputs;   ///< symbols complete when the layer ends
  std::string fusion{};               ///< of a chain's first layer: how the chain runs, and what was weighed
  bool operator==(const Layer&) const = default;
};

/// Instructions [first, first + count) run until every unit is idle, or the host works. Stages run one after another.
struct Stage {
  int layer = -1;  ///< of a host stage
  bool host = false;
  std::int64_t first = 0;
  std::int64_t count = 0;
  HostWork work;
};

/// Instructions [first, first + count) belong to this layer and statement of it.
struct MapEntry {
  std::int64_t first = 0;
  std::int64_t count = 0;
  int layer = -1;
  std::string statement;
  bool operator==(const MapEntry&) const = default;
};

/// What the compiler gives the simulator, and all that it gives.
struct Program {
  std::string architecture;  ///< name
  std::string architecture_hash;
  std::string controller = "controller";  ///< names the text section
  std::vector<std::byte> text;            ///< encoded instructions, Isa::width / 8 bytes each
  std::vector<Image> images;
  std::vector<Symbol> symbols;
  std::vector<Layer> layers;
  std::vector<Stage> stages;  ///< empty means: the whole text, once
  std::vector<MapEntry> map;  ///< ascending
};

/// ELF64 file: .text.CONTROLLER, .data.MEMORY.N, .symtab, .note.accord (hash), .accord.map and further .accord.*
/// (JSON). read_program throws accord::Error on anything that is not such a file (cut off, wrong machine, absurd
/// sizes).
void write_program(const Program& program, const std::filesystem::path& file);
Program read_program(const std::filesystem::path& file);

/// Text with directives for images, symbols, layers, stages; assemble(disassemble(p)) == p.
/// Instructions print as `mnemonic field=value, ...`; numbers decimal or 0x...; `#` starts a comment.
/// assemble throws accord::Error listing all mistakes as FILE:LINE:COLUMN: text.
std::string disassemble(const Architecture& architecture, const Program& program);
Program assemble(const Architecture& architecture, const std::string& text, const std::string& file);

}  // namespace accord
