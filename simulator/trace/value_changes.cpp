#include "simulator/trace/value_changes.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>

#include "archdsl/source/error.h"

namespace accord::sim {

namespace {

constexpr int bits_of_numbers = 32;

/// Leaves that are work: "working" and "working: padding".
bool works(const std::string& leaf) { return leaf.starts_with("working"); }

/// Short printable code of a signal, as the format wants it.
std::string code(std::size_t signal) {
  std::string text;
  do {
    text += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal > 0);
  return text;
}

/// A name that viewers take: what is no letter, digit or underscore becomes an underscore.
std::string identifier(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "_" + name : name;
}

/// The name, with a number where it is taken: `a.buf` and `a_buf` are one to viewers.
std::string unlike(const std::string& name, std::set<std::string>& taken) {
  std::string own = name;
  for (int n = 2; !taken.insert(own).second; ++n) own = fmt::format("{}_{}", name, n);
  return own;
}

std::string binary(std::int64_t value) {
  std::string text;
  auto bits = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value));
  do {
    text.insert(text.begin(), static_cast<char>('0' + bits % 2));
    bits /= 2;
  } while (bits > 0);
  return text;
}

}  // namespace

ValueChanges::ValueChanges(RunNames names)
    : names_(std::move(names)), complete_until_(std::numeric_limits<Cycle>::max()) {}

void ValueChanges::keep(const Change& change) {
  if (changes_.size() < most_changes) {
    changes_.push_back(change);
  } else {
    complete_until_ = std::min(complete_until_, change.at);
  }
}

void ValueChanges::spent(int component, int leaf, Cycle from, Cycle) { keep({from, component, Kind::state, leaf}); }

void ValueChanges::queued(int unit, Cycle at, int change) { keep({at, unit, Kind::queue, change}); }

void ValueChanges::signalled(int semaphore, Cycle at, int change) { keep({at, semaphore, Kind::semaphore, change}); }

// Signals: states, then busy bits, then queues, then semaphores.
std::size_t ValueChanges::signal(const Change& change) const {
  const auto number = static_cast<std::size_t>(change.number);
  const std::size_t components = names_.components.size();
  if (change.kind == Kind::state) return number;
  if (change.kind == Kind::queue) return 2 * components + number;
  return 2 * components + names_.numbers.units + number;
}

void ValueChanges::declare(std::ostream& out) const {
  fmt::print(out, "$comment one time unit is one cycle of the reference clock; values of state:");
  for (std::size_t leaf = 0; leaf < names_.leaves.size(); ++leaf) fmt::print(out, "\n{} {}", leaf, names_.leaves[leaf]);
  fmt::print(out, "\n$end\n$timescale 1 ns $end\n");
  const std::size_t components = names_.components.size();
  const auto variable = [&](int bits, std::size_t number, const std::string& name) {
    fmt::print(out, "$var wire {} {} {} $end\n", bits, code(number), name);
  };
  std::set<std::string> taken = {"sync"};
  for (std::size_t c = 0; c < components; ++c) {
    fmt::print(out, "$scope module {} $end\n", unlike(identifier(names_.components[c]), taken));
    variable(1, components + c, "busy");
    variable(bits_of_numbers, c, "state");
    if (c < names_.numbers.units) variable(bits_of_numbers, 2 * components + c, "queue");
    fmt::print(out, "$upscope $end\n");
  }
  if (names_.semaphores > 0) {
    fmt::print(out, "$scope module sync $end\n");
    for (std::size_t s = 0; s < names_.semaphores; ++s)
      variable(bits_of_numbers, 2 * components + names_.numbers.units + s, fmt::format("semaphore_{}", s));
    fmt::print(out, "$upscope $end\n");
  }
  fmt::print(out, "$enddefinitions $end\n");
}

void ValueChanges::write(const std::filesystem::path& file, Cycle total) {
  std::ofstream out(file);
  declare(out);
  std::ranges::stable_sort(changes_, {}, &Change::at);
  const std::size_t components = names_.components.size();
  std::vector<std::int64_t> now(2 * components + names_.numbers.units + names_.semaphores, 0), shown(now.size(), -1);
  std::set<std::size_t> touched;
  for (std::size_t s = 0; s < now.size(); ++s) touched.insert(s);
  const auto show = [&](Cycle at) {
    bool stamped = false;
    for (const std::size_t s : touched) {
      if (now[s] == shown[s]) continue;
      if (!stamped) fmt::print(out, "#{}\n", at);
      stamped = true;
      shown[s] = now[s];
      if (s >= components && s < 2 * components) {
        fmt::print(out, "{}{}\n", now[s], code(s));
      } else {
        fmt::print(out, "b{} {}\n", binary(now[s]), code(s));
      }
    }
    touched.clear();
  };
  for (std::size_t i = 0; i < changes_.size() && changes_[i].at < complete_until_;) {
    const Cycle at = changes_[i].at;
    for (; i < changes_.size() && changes_[i].at == at; ++i) {
      const Change& change = changes_[i];
      const std::size_t s = signal(change);
      touched.insert(s);
      if (change.kind != Kind::state) {
        now[s] += change.value;
        continue;
      }
      now[s] = change.value;
      now[components + s] = works(names_.leaves[static_cast<std::size_t>(change.value)]) ? 1 : 0;
      touched.insert(components + s);
    }
    show(at);
  }
  if (complete_until_ < total)
    fmt::print(out, "$comment changes from cycle {} on are left out $end\n", complete_until_);
  fmt::print(out, "#{}\n", std::min(total, complete_until_));
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

}  // namespace accord::sim
