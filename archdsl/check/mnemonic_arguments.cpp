#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "archdsl/check/mnemonic_reader.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

Binding constant(std::int64_t value) {
  Binding binding;
  binding.bias = value;
  return binding;
}

/// "src.stride2" with suffix "stride" gives 2; -1 where the name has another form.
int trailing_number(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return -1;
  int number = -1;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

std::vector<std::string> MnemonicReader::argument_names(int unit) const {
  const auto& units = elaboration_.architecture.units;
  switch (mnemonic_.meaning) {
    case Meaning::transfer:
      return transfer_arguments(
          units[static_cast<std::size_t>(unit)].routes[static_cast<std::size_t>(mnemonic_.route)]);
    case Meaning::run:
      return run_arguments(
          units[static_cast<std::size_t>(unit)].capabilities[static_cast<std::size_t>(mnemonic_.capability)]);
    case Meaning::loop: return {"count", "length"};
    case Meaning::wait:
    case Meaning::signal: return {"semaphore"};
    default: return {};
  }
}

void MnemonicReader::bind_arguments(const Node* args) {
  const std::vector<std::string> names = argument_names();
  const bool by_name =
      mnemonic_.meaning == Meaning::loop || mnemonic_.meaning == Meaning::wait || mnemonic_.meaning == Meaning::signal;
  for (const NodeEntry& entry : scope_.entries(args, "args", 256)) {
    if (std::find(names.begin(), names.end(), entry.key.text) != names.end()) continue;
    report("unknown-name", entry.key.place,
           fmt::format("the meaning of `{}` has no argument `{}`", mnemonic_.name, entry.key.text),
           did_you_mean(entry.key.text, names));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    mnemonic_.arguments.emplace_back();
    const Node* const arg = args ? args->find(names[i]) : nullptr;
    if (arg) {
      mnemonic_.arguments[i] = read_binding(*arg, names[i]).value_or(Binding{});
    } else if (by_name && field(names[i]) >= 0) {
      mnemonic_.arguments[i] = field_binding(field(names[i]));
    } else if (const auto binding = default_argument(names[i])) {
      mnemonic_.arguments[i] = *binding;
    } else {
      report("missing-argument", entry_.key.place,
             fmt::format("`{}` says nothing of the argument `{}`", mnemonic_.name, names[i]),
             fmt::format("args: {{{}: FIELD, REGISTER or number}}", names[i]));
    }
  }
}

std::optional<Binding> MnemonicReader::default_argument(const std::string& name) const {
  if (mnemonic_.meaning == Meaning::transfer) return default_transfer_argument(name);
  if (mnemonic_.meaning == Meaning::run) return default_run_argument(name);
  return std::nullopt;
}

/// Extents are 1; nothing is filled; the stride of a dimension that never steps is 0.
std::optional<Binding> MnemonicReader::default_transfer_argument(const std::string& name) const {
  if (trailing_number(name, "lo") >= 0 || trailing_number(name, "hi") >= 0) return constant(0);
  if (trailing_number(name, "n") >= 1) return constant(1);
  const int dim = std::max(trailing_number(name, "src.stride"), trailing_number(name, "dst.stride"));
  if (dim < 1) return std::nullopt;
  const auto& walk = elaboration_.architecture.units[static_cast<std::size_t>(mnemonic_.unit)]
                         .routes[static_cast<std::size_t>(mnemonic_.route)]
                         .walk;
  if (walk[static_cast<std::size_t>(dim)].max == 1 || is_one(fmt::format("n{}", dim))) return constant(0);
  return std::nullopt;
}

/// True where the argument is absent (so defaults to 1) or the number 1.
bool MnemonicReader::is_one(const std::string& argument) const {
  const Node* const arg = args_ ? args_->find(argument) : nullptr;
  return !arg || (arg->is_scalar() && arg->text == "1");
}

std::optional<Binding> MnemonicReader::default_run_argument(const std::string& name) const {
  const Capability& capability = elaboration_.architecture.units[static_cast<std::size_t>(mnemonic_.unit)]
                                     .capabilities[static_cast<std::size_t>(mnemonic_.capability)];
  for (const CapabilityDim& dim : capability.dims) {
    if (dim.name == name && dim.minimum == dim.maximum) return constant(dim.minimum);
  }
  if (name.ends_with(".load")) return constant(1);
  const std::size_t stride = name.find(".stride");
  if (stride == std::string::npos) return std::nullopt;
  const auto position = static_cast<std::size_t>(trailing_number(std::string_view(name).substr(stride), ".stride"));
  bool steps = false;
  const auto look = [&](const Access& access) {
    if (capability.program.operands[static_cast<std::size_t>(access.operand)].name != name.substr(0, stride)) return;
    const AffineIndex& index = access.indices[position];
    steps = steps || index.offset != 0;
    for (const auto& [iterator, coefficient] : index.terms) {
      steps = steps || capability.dims[static_cast<std::size_t>(iterator)].maximum > 1;
    }
  };
  for (const Statement& statement : capability.program.statements) {
    look(statement.target);
    std::for_each(statement.accesses.begin(), statement.accesses.end(), look);
  }
  return steps ? std::nullopt : std::optional(constant(0));
}

}  // namespace accord
