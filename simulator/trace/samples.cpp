#include "simulator/trace/samples.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <fstream>

#include "archdsl/source/error.h"

namespace accord::sim {

namespace {

constexpr std::size_t chosen_samples = 1024;

std::int64_t part(std::int64_t amount, Cycle passed, Cycle all) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(amount) * passed / all);
}

std::string quoted(std::string text) {
  if (text.find_first_of("\",\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

}  // namespace

Samples::Samples(Cycle interval) : interval_(interval > 0 ? interval : 1), fixed_(interval > 0) {}

void Samples::spent(int component, int leaf, Cycle from, Cycle until) {
  add(cycles_[{component, leaf}], until - from, from, until);
}

void Samples::passed(int link, std::int64_t bytes, Cycle first, Cycle end) {
  add(bytes_[link], bytes, first, std::max(end, first + 1));
}

void Samples::add(Column& column, std::int64_t amount, Cycle from, Cycle until) {
  while (static_cast<std::size_t>((until - 1) / interval_) >= (fixed_ ? most_samples : chosen_samples)) {
    if (fixed_) {
      throw Error(
          fmt::format("--stats-interval {}: the run has more than {} samples; at least {} cycles each are needed",
                      interval_, most_samples, (until - 1) / static_cast<Cycle>(most_samples) + 1));
    }
    double_interval();
  }
  const auto last = static_cast<std::size_t>((until - 1) / interval_);
  if (column.size() <= last) column.resize(last + 1, 0);
  std::int64_t done = 0;
  for (Cycle at = from; at < until;) {
    const Cycle sample = at / interval_, end = std::min(until, (sample + 1) * interval_);
    const std::int64_t so_far = part(amount, end - from, until - from);
    column[static_cast<std::size_t>(sample)] += so_far - done;
    done = so_far;
    at = end;
  }
}

void Samples::double_interval() {
  interval_ *= 2;
  const auto merge = [](Column& column) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::int64_t value = column[i];
      column[i] = 0;
      column[i / 2] += value;
    }
    column.resize((column.size() + 1) / 2);
  };
  for (auto& [key, column] : cycles_) merge(column);
  for (auto& [link, column] : bytes_) merge(column);
}

void Samples::write_csv(const std::filesystem::path& file, const RunNames& names, Cycle total) const {
  std::ofstream out(file);
  out << "from,to";
  for (const auto& [key, column] : cycles_) {
    const auto& [component, leaf] = key;
    fmt::print(out, ",{}",
               quoted(names.components[static_cast<std::size_t>(component)] + ": " +
                      names.leaves[static_cast<std::size_t>(leaf)]));
  }
  for (const auto& [link, column] : bytes_)
    fmt::print(out, ",{}", quoted(names.components[names.link(link)] + ": bytes"));
  out << '\n';
  const auto print = [&](const Column& column, std::size_t sample) {
    fmt::print(out, ",{}", sample < column.size() ? column[sample] : 0);
  };
  for (Cycle from = 0; from < total; from += interval_) {
    const auto sample = static_cast<std::size_t>(from / interval_);
    fmt::print(out, "{},{}", from, std::min(from + interval_, total));
    for (const auto& [key, column] : cycles_) print(column, sample);
    for (const auto& [link, column] : bytes_) print(column, sample);
    out << '\n';
  }
  if (!out) throw Error(fmt::format("{}: cannot be written", file.string()));
}

}  // namespace accord::sim
