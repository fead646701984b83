#pragma once

#include <array>

#include "archdsl/source/grammar.h"

// The rows of the grammar, by part of the covenant.
namespace accord::tables {

extern const std::span<const MapRule> structure;   ///< the covenant, params, templates, clocks, sync, numerics
extern const std::span<const MapRule> components;  ///< the kinds of components and what they hold
extern const std::span<const MapRule> isa;

}  // namespace accord::tables
