#include "tests/end_to_end/random_machines.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "archdsl/source/error.h"
#include "cli/architecture.h"
#include "tests/draw.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

namespace accord::test {
namespace {

/// Half, double, or one more or less.
std::int64_t changed(Draw& draw, std::int64_t value) {
  switch (draw.from(0, 4)) {
    case 0: return std::max<std::int64_t>(value / 2, 1);
    case 1: return value * 2;
    case 2: return std::max<std::int64_t>(value / 4, 1);
    case 3: return value + 1;
    default: return std::max<std::int64_t>(value - 1, 1);
  }
}

/// Changes one in `rarely` of the numbers that the pattern's second group finds.
std::string change_numbers(Draw& draw, const std::string& text, const char* pattern, int rarely) {
  const std::regex number(pattern);
  std::string result;
  auto last = text.cbegin();
  for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it) {
    const auto& group = (*it)[2];
    result.append(last, group.first);
    const std::int64_t value = std::stoll(group.str());
    result += std::to_string(draw.once_in(rarely) ? changed(draw, value) : value);
    last = group.second;
  }
  return result.append(last, text.cend());
}

void change_sync(Draw& draw, std::string& text) {
  const bool waits = text.find("means: {wait") != std::string::npos;
  std::string sync = draw.once_in(2) ? "in_order" : fmt::format("{{interlock: {{entries: {}}}}}", draw.from(2, 40));
  if (waits && draw.once_in(2)) sync = "{semaphores: {count: 64, max: 255}}";
  text = std::regex_replace(text, std::regex("\nsync:[^\n]*"), "\nsync: " + sync);
}

/// Off-chip memory on a clock of its own, beside a machine with one.
void add_clock(Draw& draw, std::string& text) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("\nclock: ([0-9]+ [MG]Hz)"))) return;
  const std::string clocks =
      fmt::format("\nclocks: {{core: {}, outside: {} MHz}}", match[1].str(), draw.from(50, 4000));
  text = match.prefix().str() + clocks + match.suffix().str();
  text = std::regex_replace(text, std::regex("kind: memory, off_chip: true,"),
                            "kind: memory, off_chip: true, clock: outside,");
}

}  // namespace

std::string random_covenant(const std::string& name, std::uint64_t seed) {
  return changed_covenant(file_text(find_covenant(name)), seed);
}

std::string changed_covenant(std::string text, std::uint64_t seed) {
  Draw draw(seed);
  const auto parts = text.find("\nisa:");
  const std::string isa = text.substr(parts);
  text.resize(parts);
  text = change_numbers(draw, text, "(\n  [a-z_]+: \\{value: )([0-9]{1,6})", 3);
  text = change_numbers(
      draw, text, "((?:banks|queue|in_flight|latency|setup|issue_width|start|drain|entries|read|write): )([0-9]{1,5})",
      6);
  text = change_numbers(draw, text, "((?:max|request|interval): )([0-9]{1,5})", 8);
  text = change_numbers(draw, text, "(\\.\\.)([0-9]{1,5})", 12);
  if (draw.once_in(4)) change_sync(draw, text);
  if (draw.once_in(4)) add_clock(draw, text);
  return text + isa;
}

Network random_network(std::uint64_t seed, std::string& what) {
  Draw draw(seed);
  NetworkBuilder b(seed);
  if (draw.once_in(6)) {
    const std::int64_t rows = draw.from(1, 9), depth = draw.from(1, 130), columns = draw.from(1, 90);
    what = fmt::format("product {}x{} by {}", rows, depth, columns);
    return b.finish(b.gemm(b.input({rows, depth}), columns));
  }
  const std::int64_t groups = draw.once_in(3) ? draw.from(2, 40) : 1;
  const std::int64_t c = groups * draw.from(1, groups > 1 ? 3 : 40), k = groups * draw.from(1, groups > 1 ? 2 : 50);
  const std::int64_t kernel = draw.from(1, 3), stride = draw.from(1, 2), pad = draw.from(0, kernel - 1);
  const std::int64_t h = draw.from(kernel, 11), w = draw.from(kernel, 11);
  what = fmt::format("{}x{}x{} to {} by {} stride {} pad {} groups {}", c, h, w, k, kernel, stride, pad, groups);
  TensorId y = b.conv(b.input({1, c, h, w}), k, kernel, stride, pad, groups);
  if (draw.once_in(2)) y = b.relu(y);
  switch (draw.from(0, 4)) {
    case 0: what += ", residual"; return b.finish(b.relu(b.add(b.conv(y, k, 1), y)));
    case 1: what += ", max pool"; return b.finish(b.max_pool(y, 1 + (h > 3 && w > 3 && stride == 1), 1));
    case 2: what += ", mean"; return b.finish(b.average_pool(y, 1, 1));
    case 3: what += ", convolution"; return b.finish(b.conv(y, draw.from(1, 40), 1));
    default: return b.finish(y);
  }
}

bool runs_random_network(const Architecture& architecture, const std::string& name, std::uint64_t seed) {
  std::string what;
  const Network network = random_network(seed * 31 + name.size(), what);
  CAPTURE(name);
  CAPTURE(seed);
  CAPTURE(what);
  try {
    run_checked(architecture, network, seed);
    return true;
  } catch (const Error& error) {
    MESSAGE(error.what());
    return false;
  }
}

std::string with_vector_capability(std::string text, const std::string& capability, const std::string& mnemonic) {
  const std::string list = "    capabilities:\n";
  text.insert(text.find(list, text.find("  vector:\n")) + list.size(), "      " + capability + "\n");
  return replaced(text, "    quant: {means", "    " + mnemonic + "\n    quant: {means");
}

}  // namespace accord::test
