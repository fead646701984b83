// Operators that take or put elements where indices say, and those that compare positions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "compiler/codelets/expand.h"

namespace accord {
namespace {

using Texts = std::vector<std::string>;

/// Writes the statements of one operator.
class SelectionWriter {
 public:
  SelectionWriter(const Network& network, const Operator& op) : network_(network), op_(op) {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) made_.tensors[fmt::format("in{}", i)] = op.inputs[i];
    made_.tensors["y"] = op.outputs[0];
  }

  Generated take() { return std::move(made_); }

  void gather_elements() {
    const Texts index = iterate(shape(1), made_.iterators, "d");
    Texts source = index;
    source[axis(source.size())] = access("in1", index);
    add("{} = {}", access("y", index), access("in0", source));
  }

  void gather_nd() {
    const auto batches = static_cast<std::size_t>(attribute(op_, "batch_dims", std::int64_t{0}));
    const Texts index = iterate(network_.tensors[op_.outputs[0]].shape, made_.iterators, "d");
    const Texts tuple(index.begin(), index.begin() + std::ssize(shape(1)) - 1);
    Texts source(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(batches));
    name_by_tuple(tuple, source);
    source.insert(source.end(), index.begin() + std::ssize(tuple), index.end());
    add("{} = {}", access("y", index), access("in0", source));
  }

  void scatter_elements() {
    copy();
    const Texts index = iterate(shape(1), made_.iterators, "u");
    Texts target = index;
    target[axis(target.size())] = access("in1", index);
    add("{} {} {}", access("y", target), reduction(), access("in2", index));
  }

  void scatter_nd() {
    copy();
    const Texts index = iterate(shape(2), made_.iterators, "u");
    const Texts tuple(index.begin(), index.begin() + std::ssize(shape(1)) - 1);
    Texts target;
    name_by_tuple(tuple, target);
    target.insert(target.end(), index.begin() + std::ssize(tuple), index.end());
    add("{} {} {}", access("y", target), reduction(), access("in2", index));
  }

  /// in2 counts along the axis.
  void one_hot() {
    const Texts index = iterate(network_.tensors[op_.outputs[0]].shape, made_.iterators, "d");
    const auto at = axis(index.size());
    Texts source = index;
    source.erase(source.begin() + static_cast<std::ptrdiff_t>(at));
    const auto wanted = fmt::format("i64({})", access("in0", source));
    add("{} = select(in2[{}] == select({} < 0, {} + {}, {}), in1[1], in1[0])", access("y", index), index[at], wanted,
        wanted, attribute(op_, "depth", std::int64_t{1}), wanted);
  }

  /// An element's rank is the number of those before it; in1 counts along the axis.
  void top_positions() {
    const Texts index = iterate(shape(0), made_.iterators, "d");
    const auto at = axis(index.size());
    const auto extent = network_.tensors[op_.outputs[0]].shape[at];
    made_.iterators.push_back({"other", shape(0)[at]});
    made_.iterators.push_back({"place", extent});
    const auto with = [&](const char* text) {
      Texts changed = index;
      changed[at] = text;
      return changed;
    };
    made_.temporaries = {"rank"};
    const auto rank = access("rank", index), own = access("in0", index), other = access("in0", with("other"));
    const bool largest = attribute(op_, "largest", std::int64_t{1}) != 0;
    add("{} = 0", rank);
    add("{} += select({} == {}, in1[other] < in1[{}], {} < {})", rank, own, other, index[at], largest ? own : other,
        largest ? other : own);
    const auto y = access("y", with("place"));
    add("{} = 0", y);
    add("{} max= select({} == in1[place], in1[{}], 0)", y, rank, index[at]);
  }

  /// In the order of the sum; in1 counts along the axis.
  void cumulative_sum() {
    const Texts index = iterate(shape(0), made_.iterators, "d");
    const auto at = axis(index.size());
    const auto extent = shape(0)[at];
    made_.iterators.push_back({"other", extent});
    const bool reverse = attribute(op_, "reverse", std::int64_t{0}) != 0;
    const bool exclusive = attribute(op_, "exclusive", std::int64_t{0}) != 0;
    const auto placed = [&](const std::string& position) {
      Texts changed = index;
      changed[at] = reverse ? fmt::format("{} - {}", extent - 1, position) : position;
      return changed;
    };
    const auto y = access("y", placed(index[at])), element = access("in0", placed("other"));
    const bool real = is_float(network_.tensors[op_.outputs[0]].type);
    const auto total = real ? access("total", index) : y;
    if (real) made_.temporaries = {"total"};
    add("{} = 0", total);
    if (exclusive) {
      add("{} += select(in1[other] < in1[{}], {}, 0)", total, index[at], element);
    } else {
      add("{} += select(in1[{}] < in1[other], 0, {})", total, index[at], element);
    }
    if (real) add("{} = {}", y, total);
  }

 private:
  const Shape& shape(std::size_t input) const { return network_.tensors[op_.inputs[input]].shape; }

  std::size_t axis(std::size_t rank) const {
    const bool last = op_.type == "OneHot" || op_.type == "TopPositions";
    const auto given = attribute(op_, "axis", std::int64_t{last ? -1 : 0});
    return static_cast<std::size_t>(given < 0 ? given + static_cast<std::int64_t>(rank) : given);
  }

  /// One index per entry of the tuple at `tuple` in in1.
  void name_by_tuple(const Texts& tuple, Texts& index) const {
    for (std::int64_t i = 0; i < shape(1).back(); ++i) {
      Texts entry = tuple;
      entry.push_back(std::to_string(i));
      index.push_back(access("in1", entry));
    }
  }

  void copy() {
    const Texts index = iterate(shape(0), made_.iterators, "d");
    add("{} = {}", access("y", index), access("in0", index));
  }

  const char* reduction() const {
    static const std::map<std::string, const char*> texts = {
        {"none", "="}, {"add", "+="}, {"max", "max="}, {"min", "min="}};
    return texts.at(attribute(op_, "reduction", std::string("none")));
  }

  template <typename... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    made_.statements.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const Network& network_;
  const Operator& op_;
  Generated made_;
};

using Write = void (SelectionWriter::*)();

const std::map<std::string, Write>& writers() {
  static const std::map<std::string, Write> table = {
      {"GatherElements", &SelectionWriter::gather_elements},
      {"GatherND", &SelectionWriter::gather_nd},
      {"ScatterElements", &SelectionWriter::scatter_elements},
      {"ScatterND", &SelectionWriter::scatter_nd},
      {"OneHot", &SelectionWriter::one_hot},
      {"TopPositions", &SelectionWriter::top_positions},
      {"CumSum", &SelectionWriter::cumulative_sum},
  };
  return table;
}

}  // namespace

Generated selection_statements(const Network& network, const Operator& op) {
  const auto found = writers().find(op.type);
  if (found == writers().end()) return {};
  SelectionWriter writer(network, op);
  (writer.*found->second)();
  return writer.take();
}

}  // namespace accord
