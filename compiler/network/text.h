#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Data of large constants by the hash that the text names them with.
using ConstantPool = std::map<std::string, ConstantData>;

/// The network as text, one tensor or operator per line:
///
///   network "small"
///   input %x: fp32[1,3,8,8]
///   constant %w: fp32[4,3,1,1] = #8f0c2e6a51b7d903
///   constant %b: fp32[4] = {0.5, -1, 0, 2}
///   %y: fp32[1,4,8,8] = Conv "conv1" (%x, %w, %b) {group = 1, pads = [0,0,0,0], strides = [1,1]}
///   output %y
///
/// Names that are no plain words are quoted (%"a b"); an absent tensor is `_`; `scale(axis=0)[...]` after a type is its
/// quantisation; a real attribute has a point or an exponent, a list of reals an `f` before it. Constants of more than
/// 16 elements appear as hashes. `#` at the start of a line begins a comment.
std::string to_text(const Network& network);

/// The data that `to_text` names by hash.
ConstantPool constant_pool(const Network& network);

/// Reads what `to_text` writes; printing it again gives the same text. Large constants are taken from `pool`.
/// Throws Error with the line of a mistake.
Network parse_network(const std::string& text, const ConstantPool& pool = {});

}  // namespace accord
