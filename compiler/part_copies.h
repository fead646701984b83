#pragma once

#include "compiler/compilation.h"

namespace accord {

/// Parts of a Concat that cannot lie in the whole (inputs and outputs of the network, constants, what is part of a
/// Concat already) become layers of their own before it, which copy them there: operators Identity, results NAME/part.
/// The other parts are then written right into the whole. Before assignments are looked for.
void copy_parts(Compilation& compilation);

/// Makes a layer, to be copied by the machine, of one part of the Concat that the layer at that place is: it lies in
/// the whole then. `home`: without margins. False, and nothing changes, where the machine cannot copy it.
bool copy_part(Compilation& compilation, std::size_t layer, TensorId part, const Home& home);

/// Makes a layer, done by the machine, that copies the tensor before the layer at that place, which reads the copy
/// (NAME/copy) from then on; its mappings stay. `home`: the copy's. `no_tensor`, and nothing changes, where the machine
/// cannot copy it.
TensorId copy_for_reader(Compilation& compilation, std::size_t layer, TensorId read, const Home& home);

/// The layer reads the one tensor instead of the other, which is like it.
void read_instead(Compilation& compilation, LayerPlan& layer, TensorId read, TensorId instead);

/// Takes the last such copy of a part back: the layer at that place, before the Concat's.
void undo_copy(Compilation& compilation, std::size_t layer);

}  // namespace accord
