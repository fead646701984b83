#pragma once

#include <map>
#include <set>
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
  /// `symbols` by name; their memory must hold them. `checks_reads`: looks for what nothing has written.
  Host(std::map<std::string, Place> symbols, bool checks_reads)
      : symbols_(std::move(symbols)), checks_reads_(checks_reads) {}

  /// Names of symbols of which the work reads what nothing has written. Throws Error on statements that do not parse,
  /// name unknown symbols, or write beyond a shape.
  std::set<std::string> execute(const HostWork& work);

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

  static std::set<std::string> unwritten(const PreparedProgram& prepared, const std::vector<Tensor*>& operands);
  static void mark_writes(const PreparedProgram& prepared, const std::vector<Tensor*>& operands);

  std::map<std::string, Place> symbols_;
  bool checks_reads_;
};

}  // namespace accord::sim
