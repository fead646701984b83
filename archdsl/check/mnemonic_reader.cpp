#include "archdsl/check/mnemonic_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "archdsl/source/suggest.h"

namespace accord {

MnemonicReader::MnemonicReader(Elaboration& elaboration, const NodeEntry& entry, std::vector<bool>& register_used)
    : elaboration_(elaboration),
      scope_(elaboration.scope),
      isa_(elaboration.architecture.isa),
      entry_(entry),
      register_used_(register_used) {}

void MnemonicReader::report(std::string_view code, const Place& place, std::string message, std::string hint) {
  scope_.reporter().report(code, place, std::move(message), std::move(hint));
}

Mnemonic MnemonicReader::read() {
  mnemonic_.name = entry_.key.text;
  mnemonic_.where = elaboration_.where(entry_.key.place);
  scope_.check_name(mnemonic_.name, entry_.key.place, "mnemonic");
  const std::size_t errors = scope_.reporter().errors();
  const MapReader reader(scope_, entry_.value, "mnemonic", fmt::format("mnemonic `{}`", mnemonic_.name));
  const std::int64_t last = static_cast<std::int64_t>((std::uint64_t{1} << isa_.opcode_bits) - 1);
  mnemonic_.opcode = static_cast<std::uint64_t>(reader.integer("opcode", {}, Range{0, last}));
  read_fields(reader.find("fields"));
  check_encoding();
  args_ = reader.find("args");
  const Node* const post = reader.find("post");
  if (const Node* const means = reader.find("means")) read_meaning(*means);
  read_post(post);
  for (std::size_t f = 0; f < field_sources_.size() && meaning_sound_; ++f) {
    if (field_sources_[f].used || scope_.reporter().errors() != errors) continue;
    report("unused-field", field_sources_[f].place,
           fmt::format("nothing reads the field `{}`", mnemonic_.fields[f].name));
  }
  return std::move(mnemonic_);
}

void MnemonicReader::read_meaning(const Node& node) {
  if (node.is_scalar() && (node.text == "fence" || node.text == "loop")) {
    mnemonic_.meaning = node.text == "fence" ? Meaning::fence : Meaning::loop;
    meaning_sound_ = true;
    bind_arguments(args_);
    return;
  }
  static const std::vector<std::string> known = {"set", "add", "transfer", "run", "wait", "signal"};
  const std::string key = node.is_map() && node.entries.size() == 1 ? node.entries[0].key.text : "";
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    const std::string near = nearest(node.is_scalar() ? node.text : key, known);
    report("wrong-value", node.place,
           "means is `fence`, `loop` or a map with one of set, add, transfer, run, wait, signal",
           near.empty() ? "" : fmt::format("did you mean `{{{}: ...}}`?", near));
    return;
  }
  read_meaning(key, node.entries[0].value);
}

void MnemonicReader::read_meaning(const std::string& key, const Node& value) {
  if (key == "set" || key == "add") {
    mnemonic_.meaning = key == "set" ? Meaning::set : Meaning::add;
    meaning_sound_ = true;
    read_updates(value, args_);
    return;
  }
  if (key == "transfer") {
    mnemonic_.meaning = Meaning::transfer;
    read_transfer(value);
  } else if (key == "run") {
    mnemonic_.meaning = Meaning::run;
    read_run(value);
  } else {
    mnemonic_.meaning = key == "wait" ? Meaning::wait : Meaning::signal;
    const auto text = scope_.text(value, key);
    meaning_sound_ = text && read_unit(*text, value.place);
  }
  if (meaning_sound_) bind_arguments(args_);
}

/// The unit's name ends at one of the dots: at the last one where the unit is known.
void MnemonicReader::read_transfer(const Node& value) {
  auto text = scope_.text(value, "transfer");
  if (!text) return;
  std::erase(*text, ' ');
  const std::size_t arrow = std::min(text->find("->"), text->size());
  std::size_t dot = text->find('.');
  for (std::size_t next = dot; next < arrow; next = text->find('.', next + 1)) {
    if (is_unit(text->substr(0, next))) dot = next;
  }
  if (dot >= arrow) {
    report("wrong-value", value.place, fmt::format("transfer is `UNIT.FROM->TO`, not `{}`", *text));
    return;
  }
  if (!read_unit(text->substr(0, dot), value.place)) return;
  const UnitSource& source = elaboration_.units[static_cast<std::size_t>(mnemonic_.unit)];
  const std::string route = text->substr(dot + 1);
  const auto found = std::find(source.route_names.begin(), source.route_names.end(), route);
  if (found == source.route_names.end()) {
    if (!source.routes_known) return;
    report("unknown-name", value.place, fmt::format("`{}` has no route `{}`", text->substr(0, dot), route),
           did_you_mean(route, source.route_names));
    return;
  }
  const auto index = found - source.route_names.begin();
  mnemonic_.route = static_cast<int>(index);
  meaning_sound_ = source.route_sound[static_cast<std::size_t>(index)];
  check_alike(value.place);
}

void MnemonicReader::read_run(const Node& value) {
  const auto text = scope_.text(value, "run");
  if (!text) return;
  const std::size_t dot = text->rfind('.');
  if (dot == std::string::npos) {
    report("wrong-value", value.place, fmt::format("run is `UNIT.CAPABILITY`, not `{}`", *text));
    return;
  }
  if (!read_unit(text->substr(0, dot), value.place)) return;
  const auto unit = static_cast<std::size_t>(mnemonic_.unit);
  std::vector<std::string> names;
  for (const Capability& capability : elaboration_.architecture.units[unit].capabilities)
    names.push_back(capability.name);
  const std::string name = text->substr(dot + 1);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    report("unknown-name", value.place, fmt::format("`{}` has no capability `{}`", text->substr(0, dot), name),
           did_you_mean(name, names));
    return;
  }
  mnemonic_.capability = static_cast<int>(found - names.begin());
  meaning_sound_ = elaboration_.units[unit].capability_sound[static_cast<std::size_t>(mnemonic_.capability)];
  check_alike(value.place);
}

}  // namespace accord
