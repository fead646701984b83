#include "simulator/kernels/footprint.h"

#include <algorithm>

namespace accord::sim {

namespace {

__extension__ using Wide = __int128;
constexpr Wide limit = Wide{1} << 48;

}  // namespace

std::optional<Footprint> make_footprint(std::int64_t element, std::int64_t offset, std::vector<Stride> dims) {
  Footprint result;
  Wide low = offset, span = element;
  for (Stride& dim : dims) {
    if (dim.count <= 0) return result;
    const Wide reach = Wide{dim.count - 1} * dim.step;
    if (reach < 0) low += reach;
    span += reach < 0 ? -reach : reach;
    if (span > limit || low < -limit || low > limit) return std::nullopt;
    dim.step = dim.step < 0 ? -dim.step : dim.step;
  }
  std::erase_if(dims, [](const Stride& dim) { return dim.count == 1 || dim.step == 0; });
  std::ranges::sort(dims, {}, &Stride::step);
  result.offset = static_cast<std::int64_t>(low);
  result.extent = static_cast<std::int64_t>(span);
  result.run = element;
  for (const Stride& dim : dims) {
    if (result.outer.empty() && dim.step <= result.run) {
      result.run += (dim.count - 1) * dim.step;
    } else {
      result.outer.push_back(dim);
    }
  }
  Wide bytes = result.run;
  for (const Stride& dim : result.outer) bytes = std::min<Wide>(bytes * dim.count, limit);
  result.bytes = static_cast<std::int64_t>(bytes);
  return result;
}

}  // namespace accord::sim
