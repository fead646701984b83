#include "compiler/mapping/work_form.h"

#include <algorithm>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/beyond.h"
#include "compiler/mapping/blocked.h"
#include "compiler/mapping/diagonal.h"

namespace accord {
namespace {

/// The new iterator comes last, so that terms stay in order; one of extent 1 occurs in no access.
void divide(Access& access, const Blocks& blocks, bool single) {
  for (auto& index : access.indices) {
    const auto term = std::find_if(index.terms.begin(), index.terms.end(),
                                   [&](const auto& entry) { return entry.first == blocks.block; });
    if (term == index.terms.end()) continue;
    const std::int64_t coefficient = term->second;
    if (single) {
      index.terms.erase(term);
    } else {
      term->second *= blocks.lanes;
    }
    index.terms.emplace_back(blocks.lane, coefficient);
  }
}

}  // namespace

WorkForm plain_form(const Work& work, int statement) {
  WorkForm form;
  form.work = work;
  form.statement = statement;
  return form;
}

void divide_into_blocks(WorkForm& form, int iterator, std::int64_t lanes, int dim) {
  TensorProgram& program = form.work.program;
  auto& iterators = program.iterators;
  const Iterator whole = iterators[iterator];
  const int lane = add_iterator(program, whole.name + "_lane", lanes);
  iterators[iterator] = {unused_name(program, whole.name + "_block"), ceil_div(whole.extent, lanes)};
  const Blocks blocks = {iterator, lane, lanes, dim};
  for (auto& statement : form.work.program.statements) {
    divide(statement.target, blocks, iterators[iterator].extent == 1);
    for (auto& access : statement.accesses) divide(access, blocks, iterators[iterator].extent == 1);
  }
  form.blocks.push_back(blocks);
}

bool may_reach_beyond(const Work& work, int iterator) {
  return std::ranges::all_of(work.program.statements, [&](const Statement& statement) {
    return leaves_operand(work, statement.target, iterator);
  });
}

bool reaches_beyond(const WorkForm& form, const Work& work) {
  for (int it = 0; it < std::ssize(work.program.iterators); ++it) {
    std::int64_t counts = form.work.program.iterators[it].extent;
    for (const Blocks& blocks : form.blocks) counts *= blocks.block == it ? blocks.lanes : 1;
    if (counts > work.program.iterators[it].extent) return true;
  }
  return false;
}

std::shared_ptr<const WorkForm> same_form(const WorkForm& form, const Work& work) {
  return form.twin >= 0 ? same_diagonal(form, work) : same_blocks(form, work);
}

}  // namespace accord
