#include "archdsl/graph/dram.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace accord {

namespace {

using Unit = DramFigure::Unit;

constexpr std::array figures = {
    DramFigure{"width", &Dram::width, Unit::bytes},
    DramFigure{"burst", &Dram::burst, Unit::number},
    DramFigure{"burst_cycles", &Dram::burst_cycles, Unit::number},
    DramFigure{"groups", &Dram::groups, Unit::number},
    DramFigure{"banks", &Dram::banks, Unit::number},
    DramFigure{"row", &Dram::row, Unit::bytes},
    DramFigure{"CL", &Dram::cl, Unit::clocks},
    DramFigure{"CWL", &Dram::cwl, Unit::clocks},
    DramFigure{"tRCD", &Dram::rcd, Unit::clocks},
    DramFigure{"tRP", &Dram::rp, Unit::clocks},
    DramFigure{"tRAS", &Dram::ras, Unit::clocks},
    DramFigure{"tCCD_S", &Dram::ccd_s, Unit::clocks},
    DramFigure{"tCCD_L", &Dram::ccd_l, Unit::clocks},
    DramFigure{"tRRD_S", &Dram::rrd_s, Unit::clocks},
    DramFigure{"tRRD_L", &Dram::rrd_l, Unit::clocks},
    DramFigure{"tFAW", &Dram::faw, Unit::clocks},
    DramFigure{"tRTP", &Dram::rtp, Unit::clocks},
    DramFigure{"tWR", &Dram::wr, Unit::clocks},
    DramFigure{"tWTR_S", &Dram::wtr_s, Unit::clocks},
    DramFigure{"tWTR_L", &Dram::wtr_l, Unit::clocks},
    DramFigure{"tRTW", &Dram::rtw, Unit::clocks},
    DramFigure{"tREFI", &Dram::refi, Unit::clocks},
    DramFigure{"tRFC", &Dram::rfc, Unit::clocks},
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
