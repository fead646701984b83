// Do the assembler, the program reader and the disassembler survive any input, and are they each other's inverse?
// Input: a byte that chooses the machine, then assembly text or the bytes of an ELF file.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "archdsl/check/load.h"
#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "tests/fuzz/scratch_folder.h"

namespace {

using namespace accord;

constexpr std::array machines = {"gemmini16", "vta", "nvdla_small", "ethos_u55", "hvx"};

void require(bool condition) {
  if (!condition) std::abort();
}

const Architecture& machine(std::size_t index) {
  static std::array<std::optional<Architecture>, machines.size()> loaded;
  if (!loaded[index]) {
    const std::filesystem::path folder = ACCORD_SOURCE_DIR "/configs/accelerators";
    loaded[index] = load_architecture(folder / (std::string(machines[index]) + ".yaml")).architecture;
    require(loaded[index].has_value());
  }
  return *loaded[index];
}

void require_same(const Architecture& architecture, const Program& a, const Program& b) {
  require(a.architecture == b.architecture && a.architecture_hash == b.architecture_hash);
  require(a.controller == b.controller && a.text == b.text);
  require(a.images == b.images && a.symbols == b.symbols && a.layers == b.layers && a.map == b.map);
  require(disassemble(architecture, a) == disassemble(architecture, b));  // stages too
}

std::optional<Program> try_assemble(const Architecture& architecture, std::string_view text) {
  try {
    return assemble(architecture, std::string(text), "input");
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Program> try_read(const std::filesystem::path& file) {
  try {
    return read_program(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A program from text is the same after a way through text, and after one through a file.
void check_text(const Architecture& architecture, std::string_view text, const std::filesystem::path& file) {
  const auto program = try_assemble(architecture, text);
  if (!program) return;
  require_same(architecture, *program, assemble(architecture, disassemble(architecture, *program), "again"));
  try {
    write_program(*program, file);
  } catch (const Error&) {
    return;
  }
  require_same(architecture, *program, read_program(file));
}

/// A program file may name what this machine has not; where its text is one of this machine, it is the same program.
void check_file(const Architecture& architecture, const std::filesystem::path& file) {
  const auto program = try_read(file);
  if (!program) return;
  const auto again = try_assemble(architecture, disassemble(architecture, *program));
  if (again) require_same(architecture, *program, *again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchFolder folder;
  if (size == 0) return 0;
  const Architecture& architecture = machine(data[0] % machines.size());
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (input.starts_with("\x7f"
                        "ELF")) {
    check_file(architecture, folder.write("program.elf", input));
  } else {
    check_text(architecture, input, folder.path() / "written.elf");
  }
  return 0;
}
