#pragma once

#include <deque>
#include <vector>

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// Operations that are under way. Each user takes a hold; the last release gives the object back.
class OperationPool {
 public:
  Operation* take() {
    if (free_.empty()) free_.push_back(&all_.emplace_back());
    Operation* operation = free_.back();
    free_.pop_back();
    operation->ready = operation->over = operation->started = {};
    operation->done = not_known;
    operation->blocked_by = -1;
    operation->unresolved = 0;
    operation->dependents.clear();
    operation->holds = 1;
    return operation;
  }
  void release(Operation* operation, int holds = 1) {
    operation->holds -= holds;
    if (operation->holds == 0) free_.push_back(operation);
  }

 private:
  std::deque<Operation> all_;
  std::vector<Operation*> free_;
};

}  // namespace accord::sim
