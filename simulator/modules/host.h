#pragma once

#include <map>
#include <string>
#include <vector>

#include "archdsl/isa/program.h"
#include "archdsl/tensor/kernel.h"
#include "simulator/kernels/byte_store.h"
#include "simulator/kernels/prepared_program.h"

namespace accord::sim {

/// Executes tensor statements on symbols, in no time: what no capability of the machine can do.
class Host {
 public:
  struct Place {
    const Symbol* symbol;
    ByteStore* store;
  };
  /// `symbols` by name; their memory must hold them.
  explicit Host(std::map<std::string, Place> symbols) : symbols_(std::move(symbols)) {}

  /// Throws Error on statements that do not parse, name unknown symbols, or write beyond a shape.
  void execute(const HostWork& work);

 private:
  /// An operand while the work is done.
  struct Tensor {
    std::byte* data = nullptr;
    std::vector<std::int64_t> shape, strides;
    std::vector<std::byte> own;  ///< of temporaries, and of symbols that lie with split dimensions
    std::string name;
    ElementType type{};
    double outside = 0;
    const Place* place = nullptr;
  };
  std::vector<Tensor> tensors(const HostWork& work) const;
  static void copy_split(Tensor& tensor, const std::vector<Tensor>& before);
  static void execute(const PreparedProgram& prepared, std::size_t statement, const std::vector<Tensor*>& operands);

  std::map<std::string, Place> symbols_;
};

}  // namespace accord::sim
