#include "archdsl/export/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "archdsl/export/markdown.h"
#include "archdsl/export/names.h"
#include "archdsl/export/operand_use.h"
#include "archdsl/export/wiring.h"
#include "archdsl/export/yaml.h"

namespace accord {

namespace {

constexpr std::int64_t most_banks_listed = 8;

/// Names of one pattern, folded when they are written.
class Names {
 public:
  void add(const std::string& name) {
    if (known_.insert(name).second) parts_.push_back(parts_of(name));
  }
  std::string text() const { return md_code(folded_name(parts_)); }

 private:
  std::set<std::string> known_;
  std::vector<NameParts> parts_;
};

/// One way of use: `load: to spad` by all units and other ends of the same pattern.
struct Use {
  Names units;
  Names others;
  bool has_other = false;
  std::string what;
};

std::string pattern(const std::string& name) { return fmt::format("{}", fmt::join(patterns_of(parts_of(name)), ".")); }

/// Uses in the order in which they come up.
class Uses {
 public:
  void add(const std::string& unit, const std::string& what, const std::string& other = "") {
    const auto [found, fresh] =
        index_.emplace(fmt::format("{}\n{}\n{}", pattern(unit), what, pattern(other)), uses_.size());
    if (fresh) uses_.emplace_back().what = what;
    Use& use = uses_[found->second];
    use.units.add(unit);
    use.has_other = !other.empty();
    if (use.has_other) use.others.add(other);
  }

  std::string text() const {
    std::vector<std::string> lines;
    for (const Use& use : uses_) {
      lines.push_back(fmt::format("{} {}{}", use.units.text(), use.what, use.has_other ? " " + use.others.text() : ""));
    }
    return lines.empty() ? "none" : fmt::format("{}", fmt::join(lines, "<br>"));
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Use> uses_;
};

/// A row of the table.
struct Row {
  std::vector<NameParts> names;
  int first = -1;  ///< memory
  Uses reads, writes;
};

std::string properties(const Memory& m) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", m.off_chip, m.capacity, m.word, m.banks, m.read_ports,
                     m.write_ports, m.shared_ports, m.latency, m.energy.read_pj, m.energy.write_pj, m.silicon.area_um2,
                     m.silicon.static_pj);
}

std::string range_text(std::int64_t first, std::int64_t size, std::int64_t capacity) {
  return fmt::format("`{} … {}`", hex(first, capacity - 1), hex(first + size - 1, capacity - 1));
}

std::string banks_text(const Memory& m) {
  if (m.banks == 1) return "1";
  if (m.off_chip) return fmt::format("{} channels, interleaved by word of {}", m.banks, bytes_text(m.word));
  const std::int64_t size = m.bank_bytes();
  std::string text = fmt::format("{} × {}", m.banks, bytes_text(size));
  for (std::int64_t bank = 0; bank < m.banks; ++bank) {
    const bool skip = m.banks > most_banks_listed && bank >= 2 && bank + 1 < m.banks;
    if (skip && bank == 2) text += "<br>…";
    if (!skip) text += fmt::format("<br>{}: {}", bank, range_text(bank * size, size, m.capacity));
  }
  return text;
}

std::string timing_text(const Memory& m) {
  const std::string ports = m.shared_ports ? fmt::format("{} read or write", m.read_ports)
                                           : fmt::format("{} read, {} write", m.read_ports, m.write_ports);
  return fmt::format("{} per {}; latency {}", ports, m.banks > 1 ? (m.off_chip ? "channel" : "bank") : "memory",
                     m.latency);
}

class MapWriter {
 public:
  explicit MapWriter(const Architecture& a) : a_(a), row_of_(a.memories.size()) {
    std::map<std::string, std::size_t> known;
    for (std::size_t m = 0; m < a.memories.size(); ++m) {
      const std::string key = fmt::format("{}\n{}", pattern(a.memories[m].name), properties(a.memories[m]));
      const auto [found, fresh] = known.emplace(key, rows_.size());
      if (fresh) rows_.emplace_back().first = static_cast<int>(m);
      rows_[found->second].names.push_back(parts_of(a.memories[m].name));
      row_of_[m] = found->second;
    }
    for (const Unit& unit : a.units) add_uses(unit);
  }

  std::string text() const {
    std::vector<std::vector<std::string>> rows;
    for (const Row& row : rows_) rows.push_back(cells(row));
    return md_table({"memory", "addresses (bytes)", "capacity", "banks", "word", "ports", "read by", "written by"},
                    rows);
  }

 private:
  Row& row(int memory) { return rows_[row_of_[static_cast<std::size_t>(memory)]]; }
  const std::string& name(int memory) const { return a_.memories[static_cast<std::size_t>(memory)].name; }

  void add_uses(const Unit& unit) {
    for (const Route& route : unit.routes) {
      if (route.gather) row(route.gather->index).reads.add(unit.name, "takes indices for", name(route.source));
      const auto add_move = [&](int target) {
        row(route.source).reads.add(unit.name, "moves to", name(target));
        row(target).writes.add(unit.name, "moves from", name(route.source));
      };
      add_move(route.target);
      for (const int target : route.also) add_move(target);
    }
    for (const Capability& c : unit.capabilities) add_uses(unit, c);
  }

  void add_uses(const Unit& unit, const Capability& c) {
    const OperandUse use = operand_use(c);
    add_operands(unit, c, use.reads, &Row::reads);
    add_operands(unit, c, use.writes, &Row::writes);
  }

  void add_operands(const Unit& unit, const Capability& c, const std::set<int>& operands, Uses Row::*list) {
    std::map<int, std::vector<std::string>> by_memory;
    for (const int operand : operands) {
      const auto index = static_cast<std::size_t>(operand);
      by_memory[c.operands[index].memory].push_back(md_code(c.program.operands[index].name));
    }
    for (const auto& [memory, names] : by_memory) {
      (row(memory).*list).add(unit.name, fmt::format("{}: {}", md_code(c.name), fmt::join(names, ", ")));
    }
  }

  std::vector<std::string> cells(const Row& r) const {
    const Memory& m = a_.memories[static_cast<std::size_t>(r.first)];
    std::string label = md_code(folded_name(r.names));
    if (r.names.size() > 1) label += fmt::format("<br>{} memories", r.names.size());
    if (m.off_chip) label += "<br>off chip";
    return {label,
            range_text(0, m.capacity, m.capacity),
            bytes_text(m.capacity),
            banks_text(m),
            bytes_text(m.word),
            timing_text(m),
            r.reads.text(),
            r.writes.text()};
  }

  const Architecture& a_;
  std::vector<Row> rows_;
  std::vector<std::size_t> row_of_;
};

}  // namespace

std::string to_memory_map(const Architecture& a) {
  std::string text = fmt::format("# Memory map of {}\n\n", md_text(a.name));
  text +=
      "Every memory has its own address space; addresses count bytes from 0. A port moves one word per cycle; latency "
      "is in cycles,\nfrom a request's acceptance to its first word. Memories whose names differ only in their indices "
      "share a row. `unit` `capability`: the operands that lie here.\n\n";
  return text + MapWriter(a).text();
}

}  // namespace accord
