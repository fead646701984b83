#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <unordered_map>

#include "archdsl/isa/elf_format.h"
#include "archdsl/isa/program.h"
#include "archdsl/isa/program_json.h"

namespace accord {
namespace elf {

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace elf

namespace {

/// A section string table under construction: "\0name\0name\0".
class StringTable {
 public:
  std::uint32_t add(const std::string& text) {
    const auto [entry, added] = offsets_.try_emplace(text, static_cast<std::uint32_t>(bytes_.size()));
    if (added) {
      if (text.find('\0') != std::string::npos) throw Error("a name in the program holds a zero byte");
      if (bytes_.size() + text.size() >= UINT32_MAX) throw Error("the program's names exceed 4 GiB");
      bytes_.append(text).push_back('\0');
    }
    return entry->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::unordered_map<std::string, std::uint32_t> offsets_{{"", 0}};
};

/// Bytes that the elements of a symbol span from its address up.
std::uint64_t extent(const Symbol& symbol) {
  std::uint64_t result = static_cast<std::uint64_t>(bytes(symbol.type));
  const Shape& extents = symbol.extents();
  for (std::size_t i = 0; i < extents.size() && i < symbol.strides.size(); ++i) {
    if (extents[i] == 0) return 0;
    const std::int64_t stride = std::max<std::int64_t>(symbol.strides[i], 0);
    result += static_cast<std::uint64_t>(extents[i] - 1) * static_cast<std::uint64_t>(stride);
  }
  return result;
}

class Writer {
 public:
  Writer(const Program& program, const std::filesystem::path& file)
      : program_(program), file_(file), descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (descriptor_.get() < 0) throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
    elf_version(EV_CURRENT);
    elf_.reset(elf_begin(descriptor_.get(), ELF_C_WRITE, nullptr));
    check(elf_ != nullptr);
  }

  void write() {
    header();
    section(elf::text_prefix + program_.controller, SHT_PROGBITS, program_.text.data(), program_.text.size(),
            {.flags = SHF_ALLOC | SHF_EXECINSTR, .align = 8});
    images();
    note();
    map();
    json_section(elf::symbols, program_.symbols);
    json_section(elf::layers, program_.layers);
    json_section(elf::stages, program_.stages);
    symbol_table();
    section_names();
    lay_out();
    check(elf_update(elf_.get(), ELF_C_WRITE) >= 0);
  }

 private:
  struct Attributes {
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    std::uint64_t align = 1;
    std::uint64_t entry_size = 0;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    Elf_Type type = ELF_T_BYTE;
  };

  void check(bool good) const {
    if (!good) throw Error(fmt::format("cannot write {}: {}", file_.string(), elf_errmsg(-1)));
  }

  void header() {
    Elf64_Ehdr* ehdr = elf64_newehdr(elf_.get());
    check(ehdr != nullptr);
    ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
    ehdr->e_type = ET_EXEC;
    ehdr->e_machine = EM_NONE;
    ehdr->e_version = EV_CURRENT;
  }

  /// Adds a section over bytes that live until the end; returns its index.
  std::uint32_t section(const std::string& name, std::uint32_t type, const void* bytes, std::size_t size,
                        const Attributes& attributes) {
    Elf_Scn* scn = elf_newscn(elf_.get());
    check(scn != nullptr);
    Elf_Data* data = elf_newdata(scn);
    check(data != nullptr);
    data->d_buf = const_cast<void*>(bytes);  // libelf only reads it
    data->d_size = size;
    data->d_type = attributes.type;
    data->d_align = attributes.align;
    data->d_version = EV_CURRENT;
    Elf64_Shdr* shdr = elf64_getshdr(scn);
    check(shdr != nullptr);
    shdr->sh_name = names_.add(name);
    shdr->sh_type = type;
    shdr->sh_flags = attributes.flags;
    shdr->sh_addr = attributes.address;
    shdr->sh_entsize = attributes.entry_size;
    shdr->sh_link = attributes.link;
    shdr->sh_info = attributes.info;
    return static_cast<std::uint32_t>(elf_ndxscn(scn));
  }

  /// Pages of images lie as they do in memory, so that whoever runs the program need not copy them.
  static std::uint64_t place(const Elf64_Shdr& shdr, std::uint64_t free) {
    const bool image = shdr.sh_flags == (SHF_ALLOC | SHF_WRITE) && shdr.sh_type == SHT_PROGBITS;
    if (image && shdr.sh_size >= elf::page) return free + (shdr.sh_addr - free) % elf::page;
    return (free + shdr.sh_addralign - 1) / shdr.sh_addralign * shdr.sh_addralign;
  }

  void lay_out() {
    elf_flagelf(elf_.get(), ELF_C_SET, ELF_F_LAYOUT);
    std::uint64_t free = sizeof(Elf64_Ehdr);
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
      Elf64_Shdr* shdr = elf64_getshdr(scn);
      const Elf_Data* data = elf_getdata(scn, nullptr);
      check(shdr != nullptr && data != nullptr);
      shdr->sh_addralign = data->d_align;
      shdr->sh_size = data->d_size;
      shdr->sh_offset = place(*shdr, free);
      free = shdr->sh_offset + (shdr->sh_type == SHT_NOBITS ? 0 : shdr->sh_size);
    }
    elf64_getehdr(elf_.get())->e_shoff = (free + 7) / 8 * 8;
  }

  std::string& keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

  void images() {
    std::size_t number = 0;
    for (const Image& image : program_.images) {
      const auto address = static_cast<std::uint64_t>(image.address);
      const bool zeros = image.zeros > 0;
      const char* prefix = zeros ? elf::zeros_prefix : elf::data_prefix;
      const std::size_t size = zeros ? static_cast<std::size_t>(image.zeros) : image.bytes.size();
      const std::uint32_t index =
          section(fmt::format("{}{}.{}", prefix, image.memory, number++), zeros ? SHT_NOBITS : SHT_PROGBITS,
                  zeros ? nullptr : image.bytes.data(), size, {.flags = SHF_ALLOC | SHF_WRITE, .address = address});
      image_sections_.push_back(index);
    }
  }

  void note() {
    const std::string description = program_.architecture + '\0' + program_.architecture_hash + '\0';
    const bool zero = program_.architecture.find('\0') != std::string::npos ||
                      program_.architecture_hash.find('\0') != std::string::npos;
    if (zero) throw Error("the architecture's name holds a zero byte");
    const Elf64_Nhdr nhdr{sizeof(elf::note_owner), static_cast<std::uint32_t>(description.size()), elf::note_type};
    std::string bytes(reinterpret_cast<const char*>(&nhdr), sizeof nhdr);
    const auto pad = [&] { bytes.resize((bytes.size() + 3) / 4 * 4, '\0'); };
    bytes.append(elf::note_owner, sizeof elf::note_owner);
    pad();
    bytes += description;
    pad();
    const std::string& kept = keep(std::move(bytes));
    section(elf::note, SHT_NOTE, kept.data(), kept.size(), {.align = 4});
  }

  void map() {
    StringTable statements;
    records_.reserve(program_.map.size());
    for (const MapEntry& entry : program_.map) {
      records_.push_back({entry.first, entry.count, entry.layer, statements.add(entry.statement)});
    }
    const std::string& kept = keep(statements.bytes());
    const std::uint32_t strings = section(elf::strings, SHT_STRTAB, kept.data(), kept.size(), {});
    section(elf::map, SHT_PROGBITS, records_.data(), records_.size() * sizeof(elf::MapRecord),
            {.align = 8, .entry_size = sizeof(elf::MapRecord), .link = strings});
  }

  template <typename T>
  void json_section(const char* name, const std::vector<T>& list) {
    std::string text = "[";
    std::size_t values = 2;  // the list's own
    for (const T& element : list) {
      if (text.size() > 1) text += ",\n ";
      const nlohmann::json json = to_json(element);
      count_values(json, values);
      text += print_json(json);
    }
    const std::string& kept = keep(std::move(text += "]\n"));
    if (kept.size() > elf::most_json) throw Error(fmt::format("section {} exceeds {} bytes", name, elf::most_json));
    section(name, SHT_PROGBITS, kept.data(), kept.size(), {});
  }

  std::uint16_t section_of(const Symbol& symbol) const {
    for (std::size_t i = 0; i < program_.images.size(); ++i) {
      const Image& image = program_.images[i];
      const bool inside = image.memory == symbol.memory && symbol.address >= image.address &&
                          symbol.address - image.address < static_cast<std::int64_t>(image.bytes.size()) + image.zeros;
      if (inside && image_sections_[i] < SHN_LORESERVE) return static_cast<std::uint16_t>(image_sections_[i]);
    }
    return SHN_ABS;
  }

  /// Inputs and outputs are global, and stand last as ELF demands.
  void symbol_table() {
    StringTable symbol_names;
    entries_.push_back({});
    std::uint32_t first_global = 1;
    for (const bool global : {false, true}) {
      if (global) first_global = static_cast<std::uint32_t>(entries_.size());
      for (const Symbol& symbol : program_.symbols) {
        const bool outer = symbol.role == Symbol::Role::input || symbol.role == Symbol::Role::output;
        if (outer != global) continue;
        Elf64_Sym entry{};
        entry.st_name = symbol_names.add(symbol.name);
        entry.st_info = ELF64_ST_INFO(global ? STB_GLOBAL : STB_LOCAL, STT_OBJECT);
        entry.st_shndx = section_of(symbol);
        entry.st_value = static_cast<std::uint64_t>(symbol.address);
        entry.st_size = extent(symbol);
        entries_.push_back(entry);
      }
    }
    const std::string& kept = keep(symbol_names.bytes());
    const std::uint32_t strtab = section(".strtab", SHT_STRTAB, kept.data(), kept.size(), {});
    section(".symtab", SHT_SYMTAB, entries_.data(), entries_.size() * sizeof(Elf64_Sym),
            {.align = 8, .entry_size = sizeof(Elf64_Sym), .link = strtab, .info = first_global, .type = ELF_T_SYM});
  }

  void section_names() {
    names_.add(".shstrtab");
    const std::string& kept = names_.bytes();
    const std::uint32_t index = section(".shstrtab", SHT_STRTAB, kept.data(), kept.size(), {});
    check(elf_.get() != nullptr);
    Elf64_Ehdr* ehdr = elf64_getehdr(elf_.get());
    if (index < SHN_LORESERVE) {
      ehdr->e_shstrndx = static_cast<std::uint16_t>(index);
      return;
    }
    ehdr->e_shstrndx = SHN_XINDEX;
    elf64_getshdr(elf_getscn(elf_.get(), 0))->sh_link = index;
  }

  const Program& program_;
  const std::filesystem::path& file_;
  StringTable names_;
  std::deque<std::string> kept_;  ///< contents of sections
  std::vector<elf::MapRecord> records_;
  std::vector<Elf64_Sym> entries_;
  std::vector<std::uint32_t> image_sections_;
  elf::Descriptor descriptor_;
  elf::Handle elf_;  ///< ends before all that its sections refer to
};

}  // namespace

void write_program(const Program& program, const std::filesystem::path& file) {
  check_consistency(program);
  try {
    Writer(program, file).write();
  } catch (const Error&) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) std::filesystem::remove(file, ignored);
    throw;
  }
}

}  // namespace accord
