#pragma once

#include <gelf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "archdsl/source/error.h"

namespace accord::elf {

/// Sections of a program file; docs/program_file.md.
inline constexpr const char* text_prefix = ".text.";
inline constexpr const char* data_prefix = ".data.";
inline constexpr const char* zeros_prefix = ".bss.";
inline constexpr const char* note = ".note.accord";
inline constexpr const char* map = ".accord.map";
inline constexpr const char* strings = ".accord.strings";
inline constexpr const char* symbols = ".accord.symbols";
inline constexpr const char* layers = ".accord.layers";
inline constexpr const char* stages = ".accord.stages";

inline constexpr char note_owner[] = "accord";
inline constexpr std::uint32_t note_type = 1;

/// One record of .accord.map, little-endian. `statement` is an offset into .accord.strings.
struct MapRecord {
  std::int64_t first;
  std::int64_t count;
  std::int32_t layer;
  std::uint32_t statement;
};
static_assert(sizeof(MapRecord) == 24);

/// What images are laid out by.
inline constexpr std::uint64_t page = 4096;

/// Greatest size of a JSON section; far beyond what networks need, and parsed it still fits into memory.
inline constexpr std::size_t most_json = std::size_t{16} << 20;

struct Close {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using Handle = std::unique_ptr<Elf, Close>;

/// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace accord::elf
