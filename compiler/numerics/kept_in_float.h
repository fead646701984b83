#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/numerics/calibrate.h"
#include "compiler/numerics/quantise.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {

/// Operators that stay in float whatever their roles, with the reason.
using InFloat = std::map<std::size_t, std::string>;

/// Before any operator turns out to have to stay in float.
std::vector<PlannedOperator> first_plan(const Network& network, const Numerics& numerics, const InFloat& in_float,
                                        AddedSums sums);

/// The operators that a quantised network does in float, with the reason, beside those that its roles say.
/// `parts`: results of what operators in float were written out as.
InFloat kept_in_float(const Network& network, const Numerics& numerics, const Calibration& seen,
                      const std::set<TensorId>& parts, AddedSums sums);

}  // namespace accord::numerics
