#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "compiler/codelets/expand.h"

namespace accord {
namespace {

/// How an operator begins, what it combines of each element, how, and how it ends; {} is the element, or the total.
struct Form {
  const char* start;
  const char* combine;
  const char* element;
  const char* finish;
};

const std::map<std::string, Form>& forms() {
  static const std::map<std::string, Form> table = {
      {"ReduceMean", {"0", "+=", "{}", "{} / COUNT"}},     {"ReduceSum", {"0", "+=", "{}", "{}"}},
      {"ReduceMax", {"LOWEST", "max=", "{}", "{}"}},       {"ReduceMin", {"HIGHEST", "min=", "{}", "{}"}},
      {"ReduceL1", {"0", "+=", "abs({})", "{}"}},          {"ReduceL2", {"0", "+=", "{0} * {0}", "sqrt({})"}},
      {"ReduceSumSquare", {"0", "+=", "{0} * {0}", "{}"}}, {"ReduceLogSum", {"0", "+=", "{}", "log({})"}},
  };
  return table;
}

std::vector<bool> reduced_axes(const Operator& op, std::size_t rank) {
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (op.type.starts_with("Arg")) axes = {attribute(op, "axis", std::int64_t{0})};
  axes = attribute(op, "axes", axes);
  std::vector<bool> reduced(rank, false);
  for (const auto axis : axes)
    reduced.at(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)) = true;
  return reduced;
}

constexpr double exact = 9007199254740992.0;  // what a statement can say

std::string least_text(ElementType type) {
  return is_float(type) ? "-inf" : fmt::format("{:.0f}", std::max(lowest(type), -exact));
}

std::string most_text(ElementType type) {
  return is_float(type) ? "inf" : fmt::format("{:.0f}", std::min(highest(type), exact));
}

/// Writes the statements of one reduction.
class ReductionWriter {
 public:
  ReductionWriter(const Network& network, const Operator& op)
      : op_(op), type_(network.tensors[op.outputs[0]].type), element_(network.tensors[op.inputs[0]].type) {
    const Shape& shape = network.tensors[op.inputs[0]].shape;
    const auto reduced = reduced_axes(op, shape.size());
    const bool keep = attribute(op, "keepdims", std::int64_t{1}) != 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      source_.push_back(fmt::format("d{}", i));
      generated_.iterators.push_back({source_.back(), shape[i]});
      if (reduced[i]) {
        count_ *= shape[i];
        along_ = source_.back();
        if (keep) target_.emplace_back("0");
      } else {
        target_.push_back(source_.back());
      }
    }
    generated_.tensors = {{"x", op.inputs[0]}, {"y", op.outputs[0]}};
  }

  Generated in_floats(const Form& form) {
    generated_.temporaries = {"total"};
    const auto total = access("total", target_);
    add("{} = {}", total, filled(form.start, ""));
    add("{} {} {}", total, form.combine, filled(form.element, fmt::format("fp32({})", access("x", source_))));
    add("{} = {}", access("y", target_), filled(form.finish, total));
    return std::move(generated_);
  }

  /// Integers are combined in their own type.
  Generated in_integers(const Form& form) {
    const auto y = access("y", target_);
    add("{} = {}", y, filled(form.start, ""));
    add("{} {} {}", y, form.combine, filled(form.element, access("x", source_)));
    if (std::string(form.finish) != "{}") add("{} = {}", y, filled(form.finish, y));
    return std::move(generated_);
  }

  /// The first (or last) position whose element is the extreme one. Integers begin with an element: what a statement
  /// can say does not reach all of them.
  Generated position_of_extreme() {
    const bool last = attribute(op_, "select_last_index", std::int64_t{0}) != 0;
    const bool greatest = op_.type == "ArgMax";
    generated_.tensors["positions"] = op_.inputs[1];
    generated_.temporaries = {"extreme"};
    if (!is_float(element_)) generated_.temporary_type = element_;
    const auto extreme = access("extreme", target_), y = access("y", target_);
    const auto x = is_float(element_) ? fmt::format("fp32({})", access("x", source_)) : access("x", source_);
    Texts at_first = source_;
    std::ranges::replace(at_first, along_, "0");
    const auto none = last ? std::int64_t{-1} : count_;
    if (is_float(element_))
      add("{} = {}", extreme, greatest ? "-inf" : "inf");
    else
      add("{} = {}", extreme, access("x", at_first));
    add("{} {} {}", extreme, greatest ? "max=" : "min=", x);
    add("{} = {}", y, none);
    add("{} {} select({} == {}, positions[{}], {})", y, last ? "max=" : "min=", x, extreme, along_, none);
    return std::move(generated_);
  }

 private:
  using Texts = std::vector<std::string>;

  template <typename... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    generated_.statements.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  std::string filled(const char* text, const std::string& value) const {
    auto result = fmt::format(fmt::runtime(text), value);
    const auto replace = [&](const std::string& word, const std::string& by) {
      if (const auto at = result.find(word); at != std::string::npos) result.replace(at, word.size(), by);
    };
    replace("COUNT", std::to_string(count_));
    replace("LOWEST", least_text(type_));
    replace("HIGHEST", most_text(type_));
    return result;
  }

  const Operator& op_;
  ElementType type_, element_;  ///< of the result, of what is reduced
  Generated generated_;
  Texts source_, target_;
  std::string along_;  ///< the last reduced iterator
  std::int64_t count_ = 1;
};

}  // namespace

Generated reduction_statements(const Network& network, const Operator& op) {
  if ((op.type == "ArgMax" || op.type == "ArgMin") && op.inputs.size() == 2) {
    return ReductionWriter(network, op).position_of_extreme();
  }
  const auto form = forms().find(op.type);
  if (form == forms().end()) return {};
  ReductionWriter writer(network, op);
  const bool real = is_float(network.tensors[op.outputs[0]].type);
  return real ? writer.in_floats(form->second) : writer.in_integers(form->second);
}

}  // namespace accord
