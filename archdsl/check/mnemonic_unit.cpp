#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/mnemonic_reader.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

constexpr std::size_t most_choices = 16 * most_components;  ///< of all mnemonics together, gaps included

/// "core[2][c].mesh" as core, 2, c, mesh, with what was in brackets apart.
struct Pattern {
  std::string skeleton;              ///< "core[][].mesh"
  std::vector<std::string> indices;  ///< "2", "c"
};

Pattern parse_pattern(const std::string& text) {
  Pattern pattern;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '[' ? text.find(']', at) : std::string::npos;
    if (close == std::string::npos) {
      pattern.skeleton += text[at++];
      continue;
    }
    pattern.skeleton += "[]";
    pattern.indices.push_back(text.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return pattern;
}

bool is_unit_kind(ComponentKind kind) { return kind == ComponentKind::mover || kind == ComponentKind::compute; }

std::optional<int> whole(const std::string& text) {
  const auto number = parse_quantity(text);
  const bool legal = number && number->integral && number->dimension == Dimension::none && number->integer >= 0 &&
                     number->integer < (1 << 20);
  return legal ? std::optional(static_cast<int>(number->integer)) : std::nullopt;
}

}  // namespace

bool MnemonicReader::is_unit(const std::string& text) const {
  auto& alike = elaboration_.alike_units;
  const auto& units = elaboration_.architecture.units;
  if (alike.empty()) {
    for (std::size_t u = 0; u < units.size(); ++u)
      alike[parse_pattern(units[u].name).skeleton].push_back(static_cast<int>(u));
  }
  return alike.contains(parse_pattern(text).skeleton);
}

bool MnemonicReader::read_unit(const std::string& text, const Place& place) {
  const auto* const component = elaboration_.find(text);
  if (component && is_unit_kind(component->kind)) {
    mnemonic_.unit = component->index;
    return true;
  }
  if (elaboration_.components.empty() || (component && component->kind == ComponentKind::unknown)) {
    scope_.reporter().follow_up();
    return false;
  }
  if (!component && is_unit(text)) return read_elements(text, place);
  if (!component && !elaboration_.expansion_sound) {
    scope_.reporter().follow_up();
    return false;
  }
  std::vector<std::string> names;
  for (const Unit& unit : elaboration_.architecture.units) {
    if (names.size() < 256) names.push_back(unit.name);
  }
  report(component ? "wrong-component" : "unknown-name", place, fmt::format("`{}` is no mover or compute unit", text),
         did_you_mean(text, names));
  return false;
}

bool MnemonicReader::read_elements(const std::string& text, const Place& place) {
  const auto refuse = [&] {
    report("out-of-range", place, fmt::format("the mnemonics choose among more than {} elements", most_choices));
    return false;
  };
  if (elaboration_.choices > most_choices) return refuse();
  const Pattern pattern = parse_pattern(text);
  const auto& units = elaboration_.architecture.units;
  std::vector<std::pair<std::vector<int>, int>> found;  // values of the chosen indices, unit
  std::vector<int> counts;
  for (const std::string& index : pattern.indices) {
    if (whole(index)) continue;
    const int chosen = field(index);
    if (chosen < 0) {
      std::vector<std::string> names;
      for (const Field& f : mnemonic_.fields) names.push_back(f.name);
      report("unknown-name", place, fmt::format("`{}` has no field `{}`", mnemonic_.name, index),
             did_you_mean(index, names));
      return false;
    }
    field_sources_[static_cast<std::size_t>(chosen)].used = true;
    mnemonic_.elements.push_back({chosen, 1, 1});
  }
  for (const int unit : elaboration_.alike_units.at(pattern.skeleton)) {
    const Pattern name = parse_pattern(units[static_cast<std::size_t>(unit)].name);
    std::vector<int> chosen;
    bool fits = true;
    for (std::size_t i = 0; i < name.indices.size(); ++i) {
      const int index = whole(name.indices[i]).value_or(-1);
      const auto wanted = whole(pattern.indices[i]);
      if (!wanted) chosen.push_back(index);
      fits = fits && (!wanted || *wanted == index);
    }
    if (!fits) continue;
    for (std::size_t e = 0; e < chosen.size(); ++e)
      mnemonic_.elements[e].count = std::max(mnemonic_.elements[e].count, chosen[e] + 1);
    found.emplace_back(std::move(chosen), unit);
  }
  if (found.empty()) {
    report("unknown-name", place, fmt::format("no element `{}` is a mover or compute unit", text));
    return false;
  }
  std::size_t size = 1;
  for (const ElementField& element : mnemonic_.elements) {
    size = std::min(size * static_cast<std::size_t>(element.count), most_choices + 1);
  }
  elaboration_.choices += size;
  if (elaboration_.choices > most_choices) return refuse();
  int stride = 1;
  for (std::size_t e = mnemonic_.elements.size(); e-- > 0;) {
    mnemonic_.elements[e].stride = stride;
    stride *= mnemonic_.elements[e].count;
  }
  for (const ElementField& element : mnemonic_.elements) {
    const FieldSource& source = field_sources_[static_cast<std::size_t>(element.field)];
    if (source.unit != 1 || source.bias != 0 || mnemonic_.fields[static_cast<std::size_t>(element.field)].is_signed) {
      report("bad-binding", source.place, "a field that chooses an element has neither unit, bias nor sign");
    }
    const Field& chooser = mnemonic_.fields[static_cast<std::size_t>(element.field)];
    if (highest_raw(chooser) >= element.count - 1) continue;
    report("bad-binding", place,
           fmt::format("the field `{}` of {} bits cannot choose among {} elements", chooser.name, chooser.bits,
                       element.count));
  }
  mnemonic_.units.assign(size, -1);
  for (const auto& [chosen, unit] : found) {
    int ordinal = 0;
    for (std::size_t e = 0; e < chosen.size(); ++e) ordinal += chosen[e] * mnemonic_.elements[e].stride;
    mnemonic_.units[static_cast<std::size_t>(ordinal)] = unit;
  }
  mnemonic_.unit = found.front().second;
  return true;
}

/// One binding serves all elements, so they must take the same arguments for the same thing.
void MnemonicReader::check_alike(const Place& place) {
  if (mnemonic_.units.empty() || !meaning_sound_) return;
  const auto& units = elaboration_.architecture.units;
  const auto& sources = elaboration_.units;
  const auto first = static_cast<std::size_t>(mnemonic_.unit);
  const std::vector<std::string> arguments = argument_names(mnemonic_.unit);
  for (const int element : mnemonic_.units) {
    if (element < 0) continue;
    const auto u = static_cast<std::size_t>(element);
    bool alike = false;
    if (mnemonic_.meaning == Meaning::transfer) {
      const auto r = static_cast<std::size_t>(mnemonic_.route);
      alike = r < sources[u].route_names.size() && parse_pattern(sources[u].route_names[r]).skeleton ==
                                                       parse_pattern(sources[first].route_names[r]).skeleton;
    } else {
      const auto c = static_cast<std::size_t>(mnemonic_.capability);
      alike = c < units[u].capabilities.size() && units[u].capabilities[c].name == units[first].capabilities[c].name;
    }
    if (alike && argument_names(element) == arguments) continue;
    Reporter& reporter = scope_.reporter();
    reporter
        .report("unlike-elements", place,
                fmt::format("`{}` and `{}` differ: one mnemonic cannot choose between them", units[first].name,
                            units[u].name))
        .notes.push_back(reporter.note(sources[u].place, "declared here"));
    meaning_sound_ = false;
    return;
  }
}

}  // namespace accord
