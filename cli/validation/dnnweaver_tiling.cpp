#include "cli/validation/dnnweaver_tiling.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "archdsl/source/error.h"

namespace accord {

namespace {

constexpr std::array<std::string_view, DnnweaverTiling::loops> names = {"B", "OC", "IC", "OH", "OW", "KH", "KW"};
constexpr std::int64_t most_tiles = 65536, most_inner = 256;

bool read_trips(std::string_view text, std::int64_t most, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most;
}

}  // namespace

DnnweaverTiling::DnnweaverTiling(const CsvRow& row) {
  const std::string& text = row.text("tiling");
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t slash = part.find('/'), colon = part.find(':'), times = part.rfind('x');
    const auto name = std::ranges::find(names, part.substr(0, slash));
    const auto loop = static_cast<Loop>(name - names.begin());
    if (loop == loops || colon == part.npos || times == part.npos || times < colon ||
        std::ranges::find(order, loop) != order.end() ||
        !read_trips(part.substr(colon + 1, times - colon - 1), most_tiles, outer[loop]) ||
        !read_trips(part.substr(times + 1), most_inner, inner[loop]))
      throw Error(fmt::format("{}: tiling: '{}'; expected LOOP/loop:OUTERxINNER, each loop once", row.where(), part));
    order.push_back(loop);
  }
  if (order.size() != loops) throw Error(row.where() + ": tiling: not all of B, OC, IC, OH, OW, KH, KW are there");
  if (tiles() > most_tiles) throw Error(fmt::format("{}: tiling: more than {} tiles", row.where(), most_tiles));
  if (outer[batch] * inner[batch] != 1) throw Error(row.where() + ": tiling: the bench's batch is 1");
}

std::string_view DnnweaverTiling::name(Loop loop) { return names[loop]; }

std::int64_t DnnweaverTiling::tiles() const {
  std::int64_t tiles = 1;
  for (const std::int64_t trips : outer) tiles = std::min(tiles * trips, most_tiles + 1);
  return tiles;
}

}  // namespace accord
