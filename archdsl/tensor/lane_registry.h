// No include guard: included once per instruction set (see lane_table.h).
//
// Fills the table.

namespace accord::ACCORD_LANES {
namespace {

template <typename T>
constexpr std::size_t lane_index = std::is_same_v<T, float> ? at(LaneType::f32)
                                   : sizeof(T) == 8         ? at(LaneType::i64)
                                                            : at(LaneType::i32);

template <typename Op, typename... T>
void add_binary(LaneTable& table, ExprOp op) {
  const auto add = [&]<typename Lane>(Lane) {
    auto& modes = table.binary[at(op)][lane_index<Lane>];
    modes[LaneTable::vector_vector] = binary<Op, Lane, false, false>;
    modes[LaneTable::vector_scalar] = binary<Op, Lane, false, true>;
    modes[LaneTable::scalar_vector] = binary<Op, Lane, true, false>;
  };
  (add(T{}), ...);
}

template <typename Op, typename... T>
void add_unary(LaneTable& table, ExprOp op) {
  ((table.unary[at(op)][lane_index<T>] = unary<Op, T>), ...);
}

template <ElementType type>
void add_element(LaneTable& table) {
  using E = ElementOf<type>;
  table.load[at(type)] = load<E>;
  table.store[at(type)] = store<E>;
  if (type != ElementType::i32 && type != ElementType::i64 && type != ElementType::fp32)
    table.narrow[at(type)] = narrow<E>;
  table.convert[at(LaneType::i32)][at(type)] = convert<type, std::int32_t>;
  table.convert[at(LaneType::i64)][at(type)] = convert<type, std::int64_t>;
  table.convert[at(LaneType::f32)][at(type)] = convert<type, float>;
  table.fold[static_cast<std::size_t>(Reduction::assign)][at(type)] = fold<Last, E>;
  table.fold[static_cast<std::size_t>(Reduction::add)][at(type)] = fold<Add, E>;
  table.fold[static_cast<std::size_t>(Reduction::max)][at(type)] = fold<Max, E>;
  table.fold[static_cast<std::size_t>(Reduction::min)][at(type)] = fold<Min, E>;
}

template <std::size_t... type>
void add_elements(LaneTable& table, std::index_sequence<type...>) {
  (add_element<static_cast<ElementType>(type)>(table), ...);
}

template <typename... T>
void add_moves(LaneTable& table) {
  ((table.fill[lane_index<T>] = fill<T>), ...);
  const auto add = [&]<typename Condition>(Condition) {
    ((table.select[lane_index<Condition>][lane_index<T>] = select<Condition, T>), ...);
  };
  (add(T{}), ...);
}

void add_arithmetic(LaneTable& table) {
  using I = std::int32_t;
  using L = std::int64_t;
  add_binary<Add, I, L, float>(table, ExprOp::add);
  add_binary<Sub, I, L, float>(table, ExprOp::sub);
  add_binary<Mul, I, L, float>(table, ExprOp::mul);
  add_binary<Div, I, L, float>(table, ExprOp::div);
  add_binary<Min, I, L, float>(table, ExprOp::min);
  add_binary<Max, I, L, float>(table, ExprOp::max);
  add_binary<ShiftLeft, I, L>(table, ExprOp::shift_left);
  add_binary<ShiftRight, I, L>(table, ExprOp::shift_right);
  add_binary<Pow, float>(table, ExprOp::pow);
  add_binary<Remainder, I, L, float>(table, ExprOp::remainder);
  add_binary<Less, I, L, float>(table, ExprOp::less);
  add_binary<Equal, I, L, float>(table, ExprOp::equal);
  add_unary<Neg, I, L, float>(table, ExprOp::neg);
  add_unary<Abs, I, L, float>(table, ExprOp::abs);
}

void add_functions(LaneTable& table) {
  add_unary<Round, float>(table, ExprOp::round);
  add_unary<RoundAway, float>(table, ExprOp::round_away);
  add_unary<Floor, float>(table, ExprOp::floor);
  add_unary<Ceil, float>(table, ExprOp::ceil);
  add_unary<Exp, float>(table, ExprOp::exp);
  add_unary<Log, float>(table, ExprOp::log);
  add_unary<Sqrt, float>(table, ExprOp::sqrt);
  add_unary<Tanh, float>(table, ExprOp::tanh);
  add_unary<Erf, float>(table, ExprOp::erf);
  add_unary<Sin, float>(table, ExprOp::sin);
  add_unary<Cos, float>(table, ExprOp::cos);
  add_unary<Tan, float>(table, ExprOp::tan);
  add_unary<Asin, float>(table, ExprOp::asin);
  add_unary<Acos, float>(table, ExprOp::acos);
  add_unary<Atan, float>(table, ExprOp::atan);
  add_unary<Sinh, float>(table, ExprOp::sinh);
  add_unary<Cosh, float>(table, ExprOp::cosh);
  add_unary<Asinh, float>(table, ExprOp::asinh);
  add_unary<Acosh, float>(table, ExprOp::acosh);
  add_unary<Atanh, float>(table, ExprOp::atanh);
}

}  // namespace

LaneTable make_table() {
  LaneTable table;
  add_arithmetic(table);
  add_functions(table);
  add_elements(table, std::make_index_sequence<LaneTable::element_types>{});
  add_moves<std::int32_t, std::int64_t, float>(table);
  table.multiply_accumulate_integer = multiply_accumulate_integer;
  table.multiply_accumulate_float = multiply_accumulate_float;
  return table;
}

}  // namespace accord::ACCORD_LANES
