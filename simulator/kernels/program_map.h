#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/isa/program.h"

namespace accord::sim {

/// From instruction to layer and statement; from execution position to the layers that can no longer occur.
class ProgramMap {
 public:
  /// `instructions` in the text. Throws Error where entries overlap, descend, or name no layer, or a stage is not
  /// within the text. The program must outlive the map.
  ProgramMap(const Program& program, std::int64_t instructions);

  int layer(std::int64_t instruction) const;
  const std::string& statement(std::int64_t instruction) const;
  std::string layer_name(std::int64_t instruction) const;

  /// A layer, and the instruction after its last one.
  struct LayerEnd {
    std::int64_t end;
    int layer;
  };
  /// The layers whose last instruction lies in this stage (index into Program::stages), ascending.
  const std::vector<LayerEnd>& ends(std::size_t stage) const { return ends_[stage]; }
  /// Per layer: whether it has an instruction or a host stage.
  const std::vector<bool>& has_work() const { return has_work_; }
  const std::vector<Stage>& stages() const { return stages_; }

 private:
  const MapEntry* find(std::int64_t instruction) const;
  void find_ends();
  const Program& program_;
  std::vector<Stage> stages_;
  std::vector<std::vector<LayerEnd>> ends_;
  std::vector<bool> has_work_;
  mutable std::size_t last_ = 0;
};

}  // namespace accord::sim
