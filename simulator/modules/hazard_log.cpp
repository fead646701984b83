#include "simulator/modules/hazard_log.h"

#include <fmt/format.h>

namespace accord::sim {

namespace {

constexpr std::size_t most_hazards = 100;

}  // namespace

void HazardLog::report(std::string kind, Cycle cycle, std::int64_t instruction, int mnemonic, std::string message) {
  if (hazards_.size() >= most_hazards || !known_.emplace(kind, instruction).second) return;
  add(std::move(kind), cycle, instruction, mnemonic, std::move(message));
}

void HazardLog::report_end(const std::string& kind, Cycle cycle, std::int64_t instruction, int mnemonic,
                           std::string message) {
  if (known_.emplace(kind, instruction).second) add(kind, cycle, instruction, mnemonic, std::move(message));
}

void HazardLog::add(std::string kind, Cycle cycle, std::int64_t instruction, int mnemonic, std::string message) {
  Hazard hazard;
  hazard.kind = std::move(kind);
  hazard.cycle = cycle;
  hazard.instruction = instruction;
  hazard.message = std::move(message);
  hazard.statement = map_.statement(instruction);
  hazard.layer = map_.layer_name(instruction);
  if (mnemonic >= 0) {
    const Mnemonic& spec = architecture_.isa.mnemonics[static_cast<std::size_t>(mnemonic)];
    hazard.mnemonic = spec.name;
    hazard.where = fmt::format("{}:{}", spec.where.file, spec.where.line);
  }
  hazards_.push_back(std::move(hazard));
}

void HazardLog::report_host(std::string kind, Cycle cycle, int layer, const std::string& name, std::string message) {
  constexpr std::int64_t before_all = -2;  // instructions, and -1, which stands for none
  if (hazards_.size() >= most_hazards || !known_.emplace(kind, before_all - layer).second) return;
  Hazard hazard;
  hazard.kind = std::move(kind);
  hazard.cycle = cycle;
  hazard.instruction = -1;
  hazard.mnemonic = "host";
  hazard.layer = name;
  hazard.message = std::move(message);
  hazards_.push_back(std::move(hazard));
}

std::string HazardLog::describe(std::int64_t instruction, int mnemonic) const {
  if (mnemonic < 0) return fmt::format("instruction {}", instruction);
  return fmt::format("instruction {} ({})", instruction,
                     architecture_.isa.mnemonics[static_cast<std::size_t>(mnemonic)].name);
}

}  // namespace accord::sim
