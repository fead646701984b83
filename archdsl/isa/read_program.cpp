#include <fmt/format.h>

#include <set>

#include "archdsl/isa/elf_format.h"
#include "archdsl/isa/program.h"
#include "archdsl/isa/program_json.h"

namespace accord {
namespace {

/// Images stay in the file, all else is copied out of sections that lie within it; sections that overlap so that their
/// sizes add up to more than the file are refused.
class ElfReader {
 public:
  explicit ElfReader(const std::filesystem::path& file)
      : file_(std::make_shared<MappedFile>(file)), size_(file_->bytes().size()) {
    elf_version(EV_CURRENT);
    // Not elf_memory: of a damaged file it would hand out headers that are not aligned.
    elf_.reset(elf_begin(file_->descriptor(), ELF_C_READ_MMAP, nullptr));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) throw Error("not an ELF file");
  }

  Program read() {
    check_header();
    std::size_t names = 0, sections = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) throw Error("section names are missing");
    if (elf_getshdrnum(elf_.get(), &sections) != 0 || sections == 0) throw Error("the section table is cut off");
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
      const Elf64_Shdr* shdr = elf64_getshdr(scn);
      const char* name = shdr != nullptr ? elf_strptr(elf_.get(), names, shdr->sh_name) : nullptr;
      if (name == nullptr) throw Error("the section table is damaged");
      take(name, *shdr);
    }
    if (!seen_.contains(elf::note)) throw Error("no note of Accord's: not a program file");
    if (!seen_.contains(elf::text_prefix)) throw Error("no instructions: not a program file");
    take_map();
    check_consistency(program_);
    return std::move(program_);
  }

 private:
  void check_header() const {
    const Elf64_Ehdr* ehdr = elf64_getehdr(elf_.get());
    if (ehdr == nullptr || ehdr->e_ident[EI_DATA] != ELFDATA2LSB) throw Error("not a little-endian 64-bit ELF file");
    if (ehdr->e_machine != EM_NONE)
      throw Error(fmt::format("is for machine {}, not an accelerator's", ehdr->e_machine));
  }

  std::string_view bytes_of(const std::string& name, const Elf64_Shdr& shdr) {
    if (shdr.sh_type == SHT_NOBITS || (shdr.sh_flags & SHF_COMPRESSED) != 0) {
      throw Error(fmt::format("section {} has no plain contents", name));
    }
    if (shdr.sh_offset > size_ || shdr.sh_size > size_ - shdr.sh_offset) {
      throw Error(fmt::format("section {} reaches beyond the end of the file", name));
    }
    total_ += shdr.sh_size;
    if (total_ > size_) throw Error("sections overlap");
    return {reinterpret_cast<const char*>(file_->bytes().data()) + shdr.sh_offset, shdr.sh_size};
  }

  static std::vector<std::byte> copy(std::string_view bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    return {begin, begin + bytes.size()};
  }

  void once(const std::string& name) {
    if (!seen_.insert(name).second) throw Error(fmt::format("section {} occurs twice", name));
  }

  void take(const std::string& name, const Elf64_Shdr& shdr) {
    if (name.starts_with(elf::text_prefix)) {
      once(elf::text_prefix);
      program_.controller = name.substr(std::strlen(elf::text_prefix));
      program_.text = copy(bytes_of(name, shdr));
    } else if (name.starts_with(elf::data_prefix)) {
      image_named(name, elf::data_prefix, shdr).bytes = {file_, shdr.sh_offset, bytes_of(name, shdr).size()};
    } else if (name.starts_with(elf::zeros_prefix)) {
      if (shdr.sh_size > static_cast<std::uint64_t>(INT64_MAX))
        throw Error(fmt::format("section {} is too long", name));
      image_named(name, elf::zeros_prefix, shdr).zeros = static_cast<std::int64_t>(shdr.sh_size);
    } else if (name == elf::note) {
      once(name);
      take_note(bytes_of(name, shdr));
    } else if (name == elf::map || name == elf::strings) {
      once(name);
      (name == elf::map ? map_ : strings_) = bytes_of(name, shdr);
    } else if (name == elf::symbols) {
      take_list(name, bytes_of(name, shdr), program_.symbols, symbol_from_json);
    } else if (name == elf::layers) {
      take_list(name, bytes_of(name, shdr), program_.layers, layer_from_json);
    } else if (name == elf::stages) {
      take_list(name, bytes_of(name, shdr), program_.stages, stage_from_json);
    }
  }

  Image& image_named(const std::string& name, const char* prefix, const Elf64_Shdr& shdr) {
    const std::string tail = name.substr(std::strlen(prefix));
    const std::size_t dot = tail.rfind('.');
    if (dot == std::string::npos) throw Error(fmt::format("section {} names no memory", name));
    Image& image = program_.images.emplace_back();
    image.memory = tail.substr(0, dot);
    image.address = static_cast<std::int64_t>(shdr.sh_addr);
    return image;
  }

  void take_note(std::string_view bytes) {
    Elf64_Nhdr nhdr{};
    const std::size_t owner = (sizeof elf::note_owner + 3) / 4 * 4;
    if (bytes.size() < sizeof nhdr + owner) throw Error("the note is cut off");
    std::memcpy(&nhdr, bytes.data(), sizeof nhdr);
    bytes.remove_prefix(sizeof nhdr);
    const bool ours = nhdr.n_namesz == sizeof elf::note_owner && nhdr.n_type == elf::note_type &&
                      std::memcmp(bytes.data(), elf::note_owner, sizeof elf::note_owner) == 0;
    if (!ours) throw Error("the note is not Accord's");
    bytes.remove_prefix(owner);
    if (nhdr.n_descsz > bytes.size()) throw Error("the note is cut off");
    bytes = bytes.substr(0, nhdr.n_descsz);
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos || bytes.back() != '\0' || end + 1 == bytes.size()) {
      throw Error("the note holds no name and hash");
    }
    program_.architecture = bytes.substr(0, end);
    program_.architecture_hash = bytes.substr(end + 1, bytes.size() - end - 2);
  }

  void take_map() {
    if (map_.size() % sizeof(elf::MapRecord) != 0) throw Error(fmt::format("section {} is cut off", elf::map));
    program_.map.reserve(map_.size() / sizeof(elf::MapRecord));
    for (std::size_t at = 0; at < map_.size(); at += sizeof(elf::MapRecord)) {
      elf::MapRecord record{};
      std::memcpy(&record, map_.data() + at, sizeof record);
      program_.map.push_back({record.first, record.count, record.layer, statement(record.statement)});
    }
  }

  std::string statement(std::uint32_t offset) {
    const std::size_t end = offset < strings_.size() ? strings_.find('\0', offset) : std::string_view::npos;
    if (end == std::string_view::npos) throw Error(fmt::format("section {} is damaged", elf::strings));
    total_ += end - offset;
    // A forged map could name one long string a million times.
    if (total_ > size_ + most_statements) throw Error("statements of the map exceed all bounds");
    return std::string(strings_.substr(offset, end - offset));
  }

  template <typename T>
  void take_list(const std::string& name, std::string_view bytes, std::vector<T>& to,
                 T (*convert)(const nlohmann::json&)) {
    once(name);
    if (bytes.size() > elf::most_json) throw Error(fmt::format("section {} is too long", name));
    try {
      const nlohmann::json list = parse_json(bytes);
      if (!list.is_array()) throw Error("a list was expected");
      to.reserve(list.size());
      for (const nlohmann::json& element : list) to.push_back(convert(element));
    } catch (const Error& problem) {
      throw Error(fmt::format("section {}: {}", name, problem.what()));
    }
  }

  static constexpr std::uint64_t most_statements = std::uint64_t{256} << 20;

  std::shared_ptr<const MappedFile> file_;
  std::uint64_t size_ = 0;
  elf::Handle elf_;
  std::uint64_t total_ = 0;  ///< bytes taken so far
  std::set<std::string> seen_;
  std::string_view map_;
  std::string_view strings_;
  Program program_;
};

}  // namespace

Program read_program(const std::filesystem::path& file) {
  try {
    return ElfReader(file).read();
  } catch (const Error& problem) {
    throw Error(fmt::format("cannot read program {}: {}", file.string(), problem.what()));
  }
}

}  // namespace accord
