#pragma once

#include <iosfwd>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/layer_runs.h"

namespace accord {

/// A layer's line, what was chosen for it and why; with `explain` every other assignment, too.
void print_choices(const Machine& machine, const LayerChoices& layer, bool explain, std::ostream& out);

/// What was weighed beyond single layers: sums in parts, layouts, chains that keep their results on chip.
void print_sums(const Compilation& compilation, std::ostream& out);
void print_layouts(const Compilation& compilation, std::ostream& out);
void print_chains(const Compilation& compilation, std::ostream& out);
nlohmann::json chains_json(const Compilation& compilation);

/// Mean and worst error of the layers that ran; figures: docs/figures.md.
void print_calibration(const std::vector<LayerChoices>& layers, const std::vector<std::optional<LayerRun>>& runs,
                       std::ostream& out);

nlohmann::json choices_json(const Machine& machine, const LayerChoices& layer, const std::optional<LayerRun>& run);

}  // namespace accord
