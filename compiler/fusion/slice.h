#pragma once

#include <map>

#include "compiler/codelets/work.h"

namespace accord {

/// Positions [first, last) along one index of a tensor.
struct Positions {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t size() const { return last - first; }
  bool operator==(const Positions&) const = default;
};

/// The tensor that stands for a stretch of another one's index: what a strip keeps on chip.
struct Stretch {
  TensorId tensor = no_tensor;
  int index = 0;
  std::int64_t first = 0;  ///< position in the whole tensor of the stretch's position 0
  Shape shape;
  double outside = 0;  ///< what reads beyond the whole tensor yield
};

/// The iterator that counts an index of the work's result one by one, from its beginning; -1 where none does.
int result_iterator(const Work& work, int index);

/// Positions of a tensor's index that the work reads while `iterator` (-1: none) runs over `range` and the others over
/// all, without what lies beyond the tensor; empty where it does not read the tensor.
Positions positions_read(const Work& work, TensorId tensor, int index, int iterator, Positions range);

/// The work over a part of one iterator (-1: all of it), with stretches in place of tensors.
Work slice_of(const Work& work, int iterator, Positions range, const std::map<TensorId, Stretch>& stretches);

}  // namespace accord
