#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/topology.h"

namespace accord {

namespace {

std::string trimmed(const std::string& text) {
  const auto* blanks = " \t\r\"";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t start = 0;
  while (start <= line.size()) {
    const auto end = std::min(line.find(',', start), line.size());
    cells.push_back(trimmed(line.substr(start, end - start)));
    start = end + 1;
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The numbers after the name; further columns (sparsity) may follow them.
std::vector<std::int64_t> numbers_of(const std::vector<std::string>& cells) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const auto value = integer(cells[i]);
    if (!value) break;
    numbers.push_back(*value);
  }
  return numbers;
}

TopologyLayer layer_of(const std::vector<std::string>& cells) {
  const auto v = numbers_of(cells);
  TopologyLayer layer;
  layer.name = cells[0];
  if (layer.name.empty()) throw Error("a layer without a name");
  if (v.size() == 3) {
    layer.kind = TopologyLayer::Kind::gemm;
    layer.m = v[0], layer.n = v[1], layer.k = v[2];
  } else if (v.size() == 7 || v.size() == 8) {
    layer.h = v[0], layer.w = v[1], layer.r = v[2], layer.s = v[3], layer.c = v[4], layer.k = v[5];
    layer.stride_h = v[6];
    layer.stride_w = v.back();
  } else {
    const std::string next = v.size() + 1 < cells.size() ? fmt::format(", then '{}'", cells[v.size() + 1]) : "";
    throw Error(
        fmt::format("{} whole numbers after the name{}; a GEMM has 3 (M, N, K), a convolution 7 (ifmap height, ifmap "
                    "width, filter height, filter width, channels, filters, stride)",
                    v.size(), next));
  }
  return layer;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether a convolution's heading has the two columns from `first` on the other way round, or one of their words in
/// the other's place.
bool exchanges(const std::vector<std::string>& cells, std::size_t first, const char* one, const char* other) {
  if (cells.size() <= first + 1) return false;
  return lower_case(cells[first]).find(other) != std::string::npos ||
         lower_case(cells[first + 1]).find(one) != std::string::npos;
}

void check_order(const std::vector<std::string>& cells) {
  if (exchanges(cells, 1, "height", "width")) throw Error("the image's height comes before its width");
  if (exchanges(cells, 3, "height", "width")) throw Error("the filter's height comes before its width");
  if (exchanges(cells, 5, "channel", "filter")) throw Error("a convolution's channels come before its filters");
}

/// A row without any number; Error where it names columns in an order that is not theirs.
bool is_heading(const std::vector<std::string>& cells) {
  if (cells.size() < 2 || std::ranges::any_of(cells, [](const auto& cell) { return integer(cell).has_value(); }))
    return false;
  const std::set<std::string> given(cells.begin() + 1, cells.end());
  if (cells.size() == 4 && given == std::set<std::string>{"M", "N", "K"} &&
      !std::equal(cells.begin() + 1, cells.end(), std::array{"M", "N", "K"}.begin())) {
    throw Error("the columns of a product are M, N, K");
  }
  check_order(cells);
  return true;
}

constexpr std::size_t max_layers = 100000;

}  // namespace

Network import_topology_csv(const std::filesystem::path& path, std::uint64_t seed) {
  std::ifstream stream(path);
  if (!stream) throw Error(path.string() + ": cannot open the file");
  std::vector<TopologyLayer> layers;
  bool begun = false;  // the first row may be a heading
  int line_number = 0;
  try {
    for (std::string line; std::getline(stream, line);) {
      ++line_number;
      const auto cells = cells_of(line);
      if (cells.empty() || cells[0].starts_with('#')) continue;
      const bool first = !std::exchange(begun, true);
      if (first && is_heading(cells)) continue;
      layers.push_back(layer_of(cells));
      if (layers.size() > max_layers) throw Error("too many layers");
    }
    line_number = 0;
    return build_topology(path.stem().string(), layers, seed);
  } catch (const Error& error) {
    const auto place = line_number > 0 ? fmt::format("{}:{}", path.string(), line_number) : path.string();
    throw Error(fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace accord
