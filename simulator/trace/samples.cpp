#include "simulator/trace/samples.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <fstream>

#include "archdsl/source/error.h"

namespace accord::sim {

namespace {

std::string csv_quoted(std::string text) {
  if (text.find_first_of("\",\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

template <class Key>
std::size_t series_of(std::map<Key, std::size_t>& numbers, const Key& key, SampledSeries& series) {
  const auto known = numbers.find(key);
  return known != numbers.end() ? known->second : numbers.emplace(key, series.begin_series()).first->second;
}

}  // namespace

void Samples::spent(int component, int leaf, Cycle from, Cycle until) {
  series_.add(series_of(cycles_, std::pair(component, leaf), series_), until - from, from, until);
}

void Samples::passed(int link, std::int64_t bytes, Cycle first, Cycle end) {
  series_.add(series_of(bytes_, link, series_), bytes, first, std::max(end, first + 1));
}

void Samples::write_csv(const std::filesystem::path& file, const RunNames& names, Cycle total) const {
  std::ofstream out(file);
  out << "from,to";
  for (const auto& [key, series] : cycles_) {
    const auto& [component, leaf] = key;
    fmt::print(out, ",{}",
               csv_quoted(names.components[static_cast<std::size_t>(component)] + ": " +
                          names.leaves[static_cast<std::size_t>(leaf)]));
  }
  for (const auto& [link, series] : bytes_)
    fmt::print(out, ",{}", csv_quoted(names.components[names.numbers.of_link(link)] + ": bytes"));
  out << '\n';
  const Cycle interval = series_.interval();
  for (Cycle from = 0; from < total; from += interval) {
    const auto sample = static_cast<std::size_t>(from / interval);
    fmt::print(out, "{},{}", from, std::min(from + interval, total));
    for (const auto& [key, series] : cycles_) fmt::print(out, ",{}", series_.value(series, sample));
    for (const auto& [link, series] : bytes_) fmt::print(out, ",{}", series_.value(series, sample));
    out << '\n';
  }
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

}  // namespace accord::sim
