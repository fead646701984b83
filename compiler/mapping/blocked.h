#pragma once

#include <memory>
#include <vector>

#include "compiler/mapping/candidates.h"
#include "compiler/mapping/work_form.h"

namespace accord {

/// What is weighed of instructions that take so many cycles all together: these, and a little for their number, which
/// is time to issue and for operands to come and go: its fourth root.
double instruction_load(double instructions, double cycles);

/// Forms for capabilities of which several dims count the same loops: blocks of an operand, and the elements of each.
/// An instruction that does
///     c[i,j] += a[i,k,l] * b[k,j,l]
/// counts one of the loops of a plain product by k or by l, and the other dim is 1. With lanes as l holds,
///     y[m,n] += x[m,lanes*block+lane] * w[lanes*block+lane,n]
/// gives block to k and lane to l. For each set of dims that occur in the same operands, each capability gets the
/// divisions under which it does the work in the fewest instructions, where these are fewer than without.
std::vector<std::shared_ptr<const WorkForm>> blocked_forms(const Machine& machine, const Work& work, int statement);

/// The same form of other work of the same structure; null where it does not cover that.
std::shared_ptr<const WorkForm> same_blocks(const WorkForm& form, const Work& work);

}  // namespace accord
