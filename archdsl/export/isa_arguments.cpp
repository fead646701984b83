#include <fmt/format.h>

#include <map>

#include "archdsl/export/isa_manual.h"
#include "archdsl/export/markdown.h"
#include "archdsl/isa/emit.h"

namespace accord {

namespace {

using Facts = std::map<std::string, ArgumentFact>;

std::string span_text(std::int64_t low, std::int64_t high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{} … {}", low, high);
}

void add(Facts& facts, const std::string& name, std::string words, std::string legal) {
  facts[name] = {name, std::move(words), std::move(legal)};
}

Facts transfer_facts(const Architecture& a, const Route& r) {
  Facts facts;
  const Memory& source = a.memories[static_cast<std::size_t>(r.source)];
  const Memory& target = a.memories[static_cast<std::size_t>(r.target)];
  add(facts, "src.base", fmt::format("first byte in {}", md_code(source.name)), span_text(0, source.capacity - 1));
  add(facts, "dst.base", fmt::format("first byte in {}", md_code(target.name)), span_text(0, target.capacity - 1));
  for (std::size_t d = 0; d < r.walk.size(); ++d) {
    const std::int64_t most = r.walk[d].max;
    add(facts, fmt::format("n{}", d), d == 0 ? "contiguous bytes" : fmt::format("steps of dimension {}", d),
        span_text(1, most));
    const std::string words = "bytes from one step of dimension {} to the next in {}";
    add(facts, fmt::format("src.stride{}", d), fmt::format(fmt::runtime(words), d, md_code(source.name)), "any");
    add(facts, fmt::format("dst.stride{}", d), fmt::format(fmt::runtime(words), d, md_code(target.name)), "any");
    const std::string filled = d == 0 ? "bytes" : fmt::format("steps of dimension {}", d);
    add(facts, fmt::format("lo{}", d), fmt::format("leading {} that are padding", filled), span_text(0, most));
    add(facts, fmt::format("hi{}", d), fmt::format("trailing {} that are padding", filled), span_text(0, most));
  }
  if (r.gather) {
    const Memory& index = a.memories[static_cast<std::size_t>(r.gather->index)];
    add(facts, "index.base", fmt::format("first byte of the list of rows in {}", md_code(index.name)),
        span_text(0, index.capacity - 1));
    add(facts, "rows", "rows of the table that the list chooses from", "1 or more");
  }
  return facts;
}

void add_operand(Facts& facts, const Architecture& a, const Operand& operand, const CapabilityOperand& place) {
  if (place.memory < 0) {
    const bool floats = is_float(operand.type);
    add(facts, operand.name,
        fmt::format("scalar of type {}{}", md_code(name(operand.type)), floats ? ", as the bits of an fp32" : ""),
        floats ? "any" : fmt::format("{:.0f} … {:.0f}", lowest(operand.type), highest(operand.type)));
    return;
  }
  const Memory& memory = a.memories[static_cast<std::size_t>(place.memory)];
  add(facts, operand.name + ".base",
      fmt::format("first byte of operand {} in {}", md_code(operand.name), md_code(memory.name)),
      span_text(0, memory.capacity - 1));
  add(facts, operand.name + ".load",
      fmt::format("1: operand {} is read anew; 0: the unit still holds it", md_code(operand.name)), "0 … 1");
  for (std::size_t p = 0; p < place.steps.size(); ++p) {
    add(facts, fmt::format("{}.stride{}", operand.name, p),
        fmt::format("bytes from one index to the next at position {} of {}", p, md_code(operand.name)), "any");
  }
}

Facts run_facts(const Architecture& a, const Capability& c) {
  Facts facts;
  for (std::size_t i = 0; i < c.operands.size(); ++i) add_operand(facts, a, c.program.operands[i], c.operands[i]);
  for (const CapabilityDim& d : c.dims) {
    const std::string multiples = d.multiple == 1 ? "" : fmt::format(" in multiples of {}", d.multiple);
    add(facts, d.name, fmt::format("extent of dimension {}", md_code(d.name)),
        span_text(d.minimum, d.maximum) + multiples);
  }
  return facts;
}

Facts facts_of(const Architecture& a, const Mnemonic& m) {
  Facts facts;
  const auto unit = [&]() -> const Unit& { return a.units[static_cast<std::size_t>(m.unit)]; };
  switch (m.meaning) {
    case Meaning::transfer: return transfer_facts(a, unit().routes[static_cast<std::size_t>(m.route)]);
    case Meaning::run: return run_facts(a, unit().capabilities[static_cast<std::size_t>(m.capability)]);
    case Meaning::loop:
      add(facts, "count", "how often the body runs; 0 skips it", "0 or more");
      add(facts, "length", "instructions in the body", "1 or more");
      break;
    case Meaning::wait:
    case Meaning::signal:
      add(facts, "semaphore", "which semaphore",
          a.sync.semaphores > 0 ? span_text(0, a.sync.semaphores - 1)
                                : "none: the machine is not ordered by semaphores");
      break;
    default: break;
  }
  return facts;
}

}  // namespace

std::vector<ArgumentFact> argument_facts(const Architecture& a, const Mnemonic& m) {
  Facts known = facts_of(a, m);
  std::vector<ArgumentFact> facts;
  for (const std::string& argument : argument_names(a, m)) {
    ArgumentFact& fact = known[argument];
    fact.name = argument;
    facts.push_back(fact);
  }
  return facts;
}

}  // namespace accord
