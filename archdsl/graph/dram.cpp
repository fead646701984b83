#include "archdsl/graph/dram.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace accord {

namespace {

using FigureUnit = DramFigure::Unit;

constexpr std::array figures = {
    DramFigure{"width", &Dram::width, FigureUnit::bytes},
    DramFigure{"burst", &Dram::burst, FigureUnit::number},
    DramFigure{"burst_cycles", &Dram::burst_cycles, FigureUnit::number},
    DramFigure{"groups", &Dram::groups, FigureUnit::number},
    DramFigure{"banks", &Dram::banks, FigureUnit::number},
    DramFigure{"row", &Dram::row, FigureUnit::bytes},
    DramFigure{"CL", &Dram::cl, FigureUnit::clocks},
    DramFigure{"CWL", &Dram::cwl, FigureUnit::clocks},
    DramFigure{"tRCD", &Dram::rcd, FigureUnit::clocks},
    DramFigure{"tRP", &Dram::rp, FigureUnit::clocks},
    DramFigure{"tRAS", &Dram::ras, FigureUnit::clocks},
    DramFigure{"tCCD_S", &Dram::ccd_s, FigureUnit::clocks},
    DramFigure{"tCCD_L", &Dram::ccd_l, FigureUnit::clocks},
    DramFigure{"tRRD_S", &Dram::rrd_s, FigureUnit::clocks},
    DramFigure{"tRRD_L", &Dram::rrd_l, FigureUnit::clocks},
    DramFigure{"tFAW", &Dram::faw, FigureUnit::clocks},
    DramFigure{"tRTP", &Dram::rtp, FigureUnit::clocks},
    DramFigure{"tWR", &Dram::wr, FigureUnit::clocks},
    DramFigure{"tWTR_S", &Dram::wtr_s, FigureUnit::clocks},
    DramFigure{"tWTR_L", &Dram::wtr_l, FigureUnit::clocks},
    DramFigure{"tRTW", &Dram::rtw, FigureUnit::clocks},
    DramFigure{"tREFI", &Dram::refi, FigureUnit::clocks},
    DramFigure{"tRFC", &Dram::rfc, FigureUnit::clocks},
};

constexpr std::array<std::string_view, 3> interleaves = {"group", "row", "bank"};

}  // namespace

Period Dram::make_burst_period() const {
  const std::int64_t divisor = std::gcd(period.numerator * burst_cycles, period.denominator);
  return {period.numerator * burst_cycles / divisor, period.denominator / divisor};
}

std::span<const DramFigure> dram_figures() { return figures; }

std::string_view name(Dram::Interleave interleave) { return interleaves[static_cast<std::size_t>(interleave)]; }

Dram::Interleave interleave_of(std::string_view name) {
  return static_cast<Dram::Interleave>(std::ranges::find(interleaves, name) - interleaves.begin());
}

}  // namespace accord
