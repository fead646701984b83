#include "cli/validation/scatter.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/files.h"

namespace accord {

namespace {

constexpr double side = 320, margin = 46;

/// Whole decades that hold every figure.
struct Axis {
  double low = 1e300, high = 0;

  explicit Axis(const Verdict& verdict) {
    for (const RowComparison& c : verdict.comparisons) {
      if (c.ending != Ending::compared) continue;
      for (const double value : {c.reference, c.ours}) {
        if (value <= 0) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    low = std::floor(std::log10(std::min(low, std::max(high, 1.0))));
    high = std::max(std::ceil(std::log10(std::max(high, 1.0))), low + 1);
  }
  double across(double value) const { return margin + (std::log10(value) - low) / (high - low) * side; }
  double upwards(double value) const { return margin + side - (std::log10(value) - low) / (high - low) * side; }
};

std::string line(const Axis& axis, double factor, const char* style) {
  const double from = std::pow(10, axis.low), to = std::pow(10, axis.high);
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {} clip-path=\"url(#frame)\"/>\n",
                     axis.across(from), axis.upwards(from * factor), axis.across(to), axis.upwards(to * factor), style);
}

std::string decades(const Axis& axis) {
  std::string svg;
  for (double d = axis.low; d <= axis.high; ++d) {
    const double x = axis.across(std::pow(10, d)), y = axis.upwards(std::pow(10, d));
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}v{2:.1f}M{3:.1f} {4:.1f}h{2:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{5:.1f}\" text-anchor=\"middle\">10^{6}</text>"
        "<text x=\"{7:.1f}\" y=\"{8:.1f}\" text-anchor=\"end\">10^{6}</text>\n",
        x, margin, side, margin, y, margin + side + 14, d, margin - 4, y + 4);
  }
  return svg;
}

std::string plot(const Verdict& verdict) {
  const Axis axis(verdict);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {0:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<clipPath id=\"frame\"><rect x=\"{1:.0f}\" y=\"{1:.0f}\" width=\"{2:.0f}\" height=\"{2:.0f}\"/></clipPath>\n"
      "<text x=\"{1:.0f}\" y=\"16\">{3}: {4} figures, mean {5:.2f} %, worst {6:+.2f} %</text>\n"
      "<text x=\"{1:.0f}\" y=\"32\" fill=\"#666\">reference across, simulated upwards</text>\n",
      side + 2 * margin, margin, side, verdict.bench->name, verdict.compared, 100 * verdict.mean_error,
      100 * verdict.worst_error);
  svg += decades(axis) + line(axis, 1, "stroke=\"#888\"");
  const double allowed = verdict.bench->worst_limit / 100;
  if (allowed > 0) {
    svg += line(axis, 1 + allowed, "stroke=\"#bbb\" stroke-dasharray=\"4 3\"");
    svg += line(axis, 1 - allowed, "stroke=\"#bbb\" stroke-dasharray=\"4 3\"");
  }
  for (const RowComparison& c : verdict.comparisons) {
    if (c.ending == Ending::compared && c.ours > 0)
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"#1f5fa8\" fill-opacity=\"0.6\"/>\n",
                         axis.across(c.reference), axis.upwards(c.ours));
  }
  return svg + "</svg>\n";
}

}  // namespace

void write_plots(const std::vector<Verdict>& verdicts, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: the folder cannot be made: {}", folder.string(), failed.message()));
  for (const Verdict& verdict : verdicts) write_text(folder / (verdict.bench->name + ".svg"), plot(verdict));
}

}  // namespace accord
