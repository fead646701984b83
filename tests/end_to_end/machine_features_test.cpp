// Features of a covenant under which the compiler once gave wrong values, or refused what it could have done.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "compiler/compile.h"
#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_layers.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"
#include "tests/in_float.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t feature_seed = 11;

const LayerReport& layer_of(const MainJobResult& job, const std::string& op) {
  const auto& layers = job.report.layers;
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const auto& layer) { return layer.op.find(op) != std::string::npos; });
  REQUIRE_MESSAGE(found != layers.end(), op);
  return *found;
}

}  // namespace

TEST_CASE("does a window on one stride give the right values where its iterators step differently") {
  std::string text = edited("eyeriss", "a[p,q,r,s,k]", "a[p + r,q + s,k]");
  text = replaced(text, "[free, free, free, free, 2 B]", "[free, free, 2 B]");
  text = replaced(text, ", a.stride2: a_r, a.stride3: a_s", "");
  const Architecture machine = loaded(text);
  for (const std::int64_t stride : {1, 2}) {
    CAPTURE(stride);
    const auto job = run_checked(machine,
                                 network_of(feature_seed,
                                            [&](auto& b) {
                                              return b.conv(b.input({1, 8, 6, 5}), 8, 3, stride, 1);
                                            }),
                                 feature_seed);
    CHECK(layer_of(job, "Conv").placed_on == "array");
  }
}

TEST_CASE("does a bias reach lanes that count several iterators as one") {
  const auto depthwise = network_of(feature_seed, [](auto& b) {
    return b.conv(b.input({1, 48, 6, 6}), 48, 3, 1, 1, 48);
  });
  SUBCASE("narrow lanes") { run_checked(machine("nvdla_large"), depthwise, feature_seed); }
  SUBCASE("scales in a small memory") {
    run_checked(machine("tpu_v1"),
                network_of(feature_seed,
                           [](auto& b) {
                             return b.conv(b.input({1, 300, 4, 4}), 300, 3, 1, 1, 300);
                           }),
                feature_seed);
  }
}

TEST_CASE("do two capabilities whose lanes differ share one tile of sums") {
  const Architecture machine = loaded(edited("hvx", "j: 1..32", "j: 1..31"));
  run_checked(machine,
              network_of(feature_seed,
                         [](auto& b) {
                           return b.conv(b.input({1, 1, 8, 3}), 38, 3, 2);
                         }),
              feature_seed);
}

TEST_CASE("are held weights that stay where they are not loaded for each tile anew") {
  const Architecture small = machine("gemmini16", {{"spad_kib", "8"}, {"acc_kib", "4"}});
  const Network layer = quantise(network_of(feature_seed,
                                            [](auto& b) {
                                              return b.conv(b.input({1, 16, 24, 24}), 16, 1);
                                            }),
                                 small.numerics, {});
  const std::string program = disassemble(small, compile(small, layer));
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (auto at = program.find(what); at != std::string::npos; at = program.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(count("preload ") > 1);
  CHECK(count("b_load=1") == 1);
}

TEST_CASE("do sums that stay in the unit go on from what it has") {
  std::string text = edited("dnnweaver64", "c: {in: obuf, steps: [\"${4 * n} B\", 4 B]}",
                            "c: {in: obuf, steps: [\"${4 * n} B\", 4 B], held: true}");
  text = replaced(text, "k: 9, load: 1, step: 20}", "k: 9, load: 1, sums: 1, step: 20}");
  text = replaced(text, "c.base: c, b.load: load,", "c.base: c, b.load: load, c.load: sums,");
  const Architecture stationary = loaded(text);
  const Network layer = network_of(feature_seed, [](auto& b) { return b.conv(b.input({1, 200, 5, 5}), 70, 3, 1, 1); });
  CHECK(disassemble(stationary, compile(stationary, quantise(layer, stationary.numerics, {}))).find("sums=0") !=
        std::string::npos);
  run_checked(stationary, layer, feature_seed);
}

TEST_CASE("does a machine that only shifts leave a mean it cannot scale to the host") {
  Numerics shifts = machine("gemmini16").numerics;
  shifts.requantise = "i8(clamp((x + (1 << (shift - 1))) >> shift, lo, hi))";
  shifts.parameters = {{"shift", ElementType::i32, false}};
  const auto mean = [](std::int64_t window) {
    return network_of(feature_seed, [&](auto& b) {
      return b.average_pool(b.conv(b.input({1, 4, 12, 12}), 4, 1), window, window);
    });
  };
  const auto of_nine = in_float(quantise(mean(3), shifts, {}));
  REQUIRE(of_nine.size() == 1);
  CHECK(of_nine.begin()->second.find("requantisation") != std::string::npos);
  CHECK(in_float(quantise(mean(4), shifts, {})).empty());
}

TEST_CASE("is it said why a layer computes in fp32") {
  const Network layer = network_of(feature_seed, [](auto& b) { return b.conv(b.input({1, 4, 6, 6}), 4, 1); });
  Values inputs = seeded_inputs(layer, 3);
  Value& image = inputs.begin()->second;
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(image.data.data(), &nothing, sizeof(nothing));
  const Architecture gemmini = machine("gemmini16");
  const Program program = compile(gemmini, quantise(layer, gemmini.numerics, {inputs}));
  const std::string& why = program.layers.front().reason;
  CHECK_MESSAGE(why.find("'" + inputs.begin()->first + "' has values that are infinite") != std::string::npos, why);
}

TEST_CASE("is an unsigned storage type refused with the reason") {
  Numerics numerics = machine("gemmini16").numerics;
  const auto layer = network_of(feature_seed, [](auto& b) { return b.conv(b.input({1, 4, 6, 6}), 4, 1); });
  SUBCASE("activations") { numerics.storage = ElementType::u8; }
  SUBCASE("weights") { numerics.weight = ElementType::u8; }
  CHECK_THROWS_WITH_AS(quantise(layer, numerics, {}), doctest::Contains("u8"), Error);
}

TEST_CASE("does no layer beat its bound where the memory has a clock of its own") {
  for (const char* hz : {"370 MHz", "2.3 GHz"}) {
    CAPTURE(hz);
    std::string text =
        edited("gemmini16", "kind: memory, off_chip: true,", "kind: memory, off_chip: true, clock: mem,");
    text = replaced(text, "clock: 1 GHz", std::string("clocks: {core: 1 GHz, mem: ") + hz + "}");
    const Architecture machine = loaded(text);
    const auto networks = small_networks(feature_seed);
    for (const std::size_t i : {0U, 1U, 6U, 10U}) {
      CAPTURE(networks[i].name);
      run_checked(machine, networks[i].network, feature_seed);
    }
  }
}

TEST_CASE("does no layer beat its bound, or differ, on DRAM with rows and refreshes") {
  for (const std::string part : {"ddr4_3200, channels: 1", "lpddr5_6400, channels: 3", "hbm2_2000, channels: 4"}) {
    CAPTURE(part);
    std::string text =
        edited("gemmini16", "capacity: 4 GiB, word: 16 B, latency: 32,",
               "capacity: 3 GiB, latency: 8, dram: {part: dram_part" + part.substr(part.find(',')) + "},");
    text = replaced(text, "tables: {", "tables: {dram_part: parts/" + part.substr(0, part.find(',')) + ".yaml, ");
    const Architecture machine = loaded(text);
    const auto networks = small_networks(feature_seed);
    for (const std::size_t i : {0U, 1U, 6U, 10U}) {
      CAPTURE(networks[i].name);
      run_checked(machine, networks[i].network, feature_seed);
    }
  }
}

TEST_CASE("does no layer beat its bound where DRAM still keeps what it wrote") {
  const std::string text = edited("bf16npu", "capacity: 8 GiB, word: 64 B, banks: 16, latency: 100,",
                                  "capacity: 3 GiB, latency: 60, dram: {part: dram_part, write_queue: 1024},");
  const Architecture machine = loaded(replaced(text, "tables: {", "tables: {dram_part: parts/hbm2_2000.yaml, "));
  const auto network = network_of(feature_seed, [](auto& b) {
    return b.softmax(b.relu(b.add(b.input({128, 256}), b.input({128, 256}))));
  });
  run_checked(machine, network, feature_seed);
}

namespace {

/// The tutorial's machine, which adds and requantises where the sums lie, one transfer from off-chip memory.
std::string tutorial() { return file_text(ACCORD_SOURCE_DIR "/examples/05_tutorial/kestrel.yaml"); }

/// Its requantiser writes a buffer of its own behind the shared one.
std::string with_results_behind() {
  const std::string walk = "[{max: \"${n} B\"}, {max: 255, source: free, target: free}]";
  std::string text = replaced(tutorial(), "y: {in: l2.results, steps: [free, free, 1 B]}",
                              "y: {in: ys.ram, steps: [free, free, 1 B]}");
  text = replaced(text, "  factors: {template",
                  "  ys: {template: sram, with: {size: \"${local}\", word: \"${n} B\"}}\n"
                  "  drain: {kind: mover, request: 64 B, routes: [{from: ys.ram, to: l2.results, walk: " +
                      walk + "}]}\n  factors: {template");
  text = replaced(text, "  registers: {", "  registers: {d_s: 24, d_t: 24, ");
  return replaced(text, "    put:\n",
                  "    set_drain: {means: {set: [d_s, d_t]}, opcode: 50, fields: {d_s: 24, d_t: 24}}\n"
                  "    drain:\n"
                  "      means: {transfer: \"drain.ys.ram->l2.results\"}\n"
                  "      opcode: 51\n"
                  "      fields: {src: 24, dst: 24, n0: 8, n1: 8}\n"
                  "      args: {src.base: src, dst.base: dst, n0: n0, n1: n1, src.stride1: d_s, dst.stride1: d_t}\n"
                  "    put:\n");
}

}  // namespace

TEST_CASE("do operands used with the finished sums pass buffers that lie farther in than the sums") {
  const auto residual = network_of(feature_seed, [](auto& b) {
    const TensorId x = b.conv(b.input({1, 20, 12, 12}), 40, 1);
    return b.add(b.conv(x, 40, 3, 1, 1), x);
  });
  std::string text;
  SUBCASE("the value that is added") {
    text = replaced(tutorial(), "x: {in: l2.maps, steps: [free, free, 1 B]}",
                    "x: {in: inputs.ram, steps: [free, free, 1 B]}");
  }
  SUBCASE("the result") { text = with_results_behind(); }
  SUBCASE("in small buffers") {
    text = replaced(with_results_behind(), "x: {in: l2.maps, steps: [free, free, 1 B]}",
                    "x: {in: inputs.ram, steps: [free, free, 1 B]}");
    text = replaced(replaced(text, "value: 32 KiB", "value: 2 KiB"), "range: [8 KiB", "range: [2 KiB");
  }
  const auto job = run_checked(loaded(text), residual, feature_seed);
  CHECK(layer_of(job, "Accumulate").placed_on == "array");
}

TEST_CASE("does a result that is padded to a unit's rows leave the next layer's padding as it is") {
  struct Case {
    const char *machine, *dims, *multiple;
  };
  const Case cases[] = {
      {"gemmini16", "dims: {i: \"1..${dim}\"", "dims: {i: {max: \"${dim}\", multiple: 4}"},  // written straight home
      {"bf16npu", "dims: {i: 1..4096", "dims: {i: {max: 4096, multiple: 8}"},                // by a transfer
  };
  for (const auto& [name, dims, multiple] : cases) {
    CAPTURE(name);
    const Architecture rows = loaded(edited(name, dims, multiple));
    const auto job = run_checked(rows,
                                 network_of(feature_seed,
                                            [](auto& b) {
                                              return b.conv(b.conv(b.input({1, 8, 7, 7}), 20, 1), 12, 3, 1, 1);
                                            }),
                                 feature_seed);
    CHECK(layer_of(job, "Conv").placed_on != "host");
  }
}

TEST_CASE("does one row go to a unit that takes sixteen at a time") {
  const Architecture whole = loaded(edited("gemmini16", "dims: {i: \"1..${dim}\"", "dims: {i: \"${dim}\""));
  const auto row = [](auto& b) { return b.gemm(b.input({1, 96}), 40); };
  const auto job = run_checked(whole, network_of(feature_seed, row), feature_seed);
  CHECK(layer_of(job, "Gemm").capability == "matmul");
  const auto usual = run_checked(machine("gemmini16"), network_of(feature_seed, row), feature_seed);
  CHECK(layer_of(job, "Gemm").cycles < 2 * layer_of(usual, "Gemm").cycles);
  for (const auto& [name, small] : small_networks(feature_seed)) {
    CAPTURE(name);
    run_checked(whole, small, feature_seed);
  }
}

TEST_CASE("does a float machine average windows that do not count their padding") {
  const auto pool = [](auto& b) {
    const std::vector<std::int64_t> kernel = {3, 3}, strides = {1, 1}, pads = {1, 1, 1, 1}, dilations = {1, 1};
    return b.moved("AveragePool", b.relu(b.conv(b.input({1, 8, 9, 9}), 24, 1)), {1, 24, 9, 9},
                   {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"dilations", dilations}});
  };
  const auto job = run_checked(machine("bf16npu"), network_of(feature_seed, pool), feature_seed);
  for (const auto& layer : job.report.layers) {
    CAPTURE(layer.name);
    CHECK(layer.placed_on != "host");
  }
}

TEST_CASE("do products of two results add nothing where both are padded") {
  const Architecture machine =
      loaded(edited("bf16npu", "j: \"1..${n}\", k: \"1..${n}\"}", "j: \"${n}\", k: \"${n}\"}"));
  const auto job =
      run_checked(machine,
                  network_of(feature_seed,
                             [](auto& b) {
                               const TensorId x = b.input({1, 1, 20, 24});
                               const TensorId a = b.matmul(b.conv(x, 1, 1), b.conv(b.input({1, 1, 24, 20}), 1, 1));
                               return b.matmul(a, a);
                             }),
                  feature_seed);
  CHECK(layer_of(job, "MatMul").placed_on != "host");
}

TEST_CASE("does a layer whose sums another unit finds elsewhere run as two layers on the machine") {
  const Architecture machine = loaded(R"(
accord: 1
name: apart
extends: gemmini16.yaml
components:
  rocc: {feeds: ~}
  finished: {kind: memory, capacity: 64 KiB, word: "${4 * dim} B"}
  lift: {kind: mover, routes: [{from: dram, to: finished, walk: [{max: 65536 B}]}]}
  store: {capabilities: {requantise: {operands: {x: {in: finished, steps: ["${4 * dim} B", 4 B]}}}}}
isa:
  mnemonics:
    lift: {means: {transfer: "lift.dram->finished"}, opcode: 60, fields: {src: 40, dst: 24, n0: 17}, args: {src.base: src, dst.base: dst, n0: n0}}
)");
  const auto job = run_checked(machine,
                               network_of(feature_seed,
                                          [](auto& b) {
                                            return b.conv(b.input({1, 8, 6, 6}), 16, 3, 1, 1);
                                          }),
                               feature_seed);
  CHECK(layer_of(job, "Conv").op == "Conv");
  CHECK(layer_of(job, "Conv").placed_on == "mesh");
  CHECK(layer_of(job, "Requantize").placed_on == "store");
}

TEST_CASE("does an instruction carry the scale of a tensor") {
  const Architecture machine = loaded(R"yaml(
accord: 1
name: carried
extends: bf16npu.yaml
components: {vpu: {capabilities: {finish: {does: "y[r,q] = bf16(clamp(x[r,q] * scale, lo, hi))", operands: {scale: ~}}}}}
isa: {mnemonics: {finish: {fields: {scale: 32}, args: {scale.base: ~, scale: scale}}}}
)yaml");
  const auto job = run_checked(machine,
                               network_of(feature_seed,
                                          [](auto& b) {
                                            return b.conv(b.input({1, 8, 6, 6}), 16, 3);
                                          }),
                               feature_seed);
  CHECK(layer_of(job, "Conv").op == "Conv+Requantize");
  CHECK(layer_of(job, "Conv").placed_on == "mxu");
}

namespace {

const char* const one_at_a_time = R"yaml(
accord: 1
name: scalar
numerics: {storage: i8}
components:
  mem: {kind: memory, off_chip: true, capacity: 1 MiB, word: 4 B}
  rf: {kind: memory, capacity: 256 B, word: 4 B, ports: {read: 3, write: 1}}
  ls: {kind: mover, request: 4 B, routes: [{from: mem, to: rf, walk: [{max: 64 B}]}, {from: rf, to: mem, walk: [{max: 64 B}]}]}
  alu: {kind: compute, capabilities: {mac: {does: "c += i32(a) * i32(b)", types: {a: i8, b: i8, c: i32}, operands: {a: rf, b: rf, c: rf}}}}
  ctl: {kind: controller}
isa:
  width: 64
  mnemonics:
    load: {means: {transfer: "ls.mem->rf"}, opcode: 1, fields: {s: 32, d: 8, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    store: {means: {transfer: "ls.rf->mem"}, opcode: 2, fields: {s: 8, d: 32, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    mac: {means: {run: alu.mac}, opcode: 3, fields: {a: 8, b: 8, c: 8}, args: {a.base: a, b.base: b, c.base: c}}
)yaml";

}  // namespace

TEST_CASE("does a machine that multiplies and adds one number at a time, and nothing else, do all products") {
  const Architecture machine = loaded(one_at_a_time);
  // The sum that is added to passes through the host's hands, too.
  const auto job = run_checked(machine,
                               network_of(feature_seed,
                                          [](auto& b) {
                                            const TensorId x = b.conv(b.input({1, 2, 5, 5}), 3, 1);
                                            return b.gemm(b.flatten(b.add(b.conv(x, 3, 3, 1, 1), x)), 4);
                                          }),
                               feature_seed);
  for (const LayerReport& layer : job.report.layers) {
    if (layer.op.find("Conv") != std::string::npos || layer.op.find("Gemm") != std::string::npos) {
      CHECK_MESSAGE(layer.placed_on == "alu", layer.op);
    } else {
      CHECK_MESSAGE(layer.placed_on != "alu", layer.op);
    }
  }
}

TEST_CASE("does a layer that would make too long a program go to the host with the reason") {
  const Architecture machine = loaded(one_at_a_time);
  const auto job = run_checked(machine,
                               network_of(feature_seed,
                                          [](auto& b) {
                                            return b.gemm(b.flatten(b.conv(b.input({1, 64, 36, 36}), 64, 1, 9)), 8);
                                          }),
                               feature_seed);
  CHECK(layer_of(job, "Gemm").placed_on == "alu");
  const auto large = run_checked(machine,
                                 network_of(feature_seed,
                                            [](auto& b) {
                                              return b.conv(b.input({1, 64, 36, 36}), 64, 1);
                                            }),
                                 feature_seed);
  CHECK(layer_of(large, "Conv").placed_on == "host");
  CHECK(layer_of(large, "Conv").reason.find("instructions") != std::string::npos);
}

TEST_CASE("does a number that fills an operand reach a memory of wider words than the one before it") {
  const Architecture machine = loaded(R"yaml(
accord: 1
name: narrow
numerics: {storage: i8, accumulator: i32, requantise: "i8(clamp(round(fp32(x) * scale), lo, hi))", parameters: {scale: {type: fp32, per: tensor}}}
components:
  mem: {kind: memory, off_chip: true, capacity: 1 MiB, word: 8 B}
  tcm: {kind: memory, capacity: 16 KiB, word: 8 B}
  vr: {kind: memory, capacity: 4 KiB, word: 64 B, ports: {read: 3, write: 1}}
  dma: {kind: mover, routes: [{from: mem, to: tcm, walk: [{max: 64 B}]}, {from: tcm, to: mem, walk: [{max: 64 B}]}]}
  ls: {kind: mover, routes: [{from: tcm, to: vr, walk: [{max: 64 B}]}, {from: vr, to: tcm, walk: [{max: 64 B}]}]}
  alu:
    kind: compute
    capabilities:
      mac: {does: "c[j] += i32(a) * i32(b[j])", types: {a: i8, b: i8, c: i32}, dims: {j: 1..16}, operands: {a: vr, b: {in: vr, steps: [1 B]}, c: {in: vr, steps: [4 B]}}}
      rq:
        does: "y[j] = i8(clamp(round(fp32(x[j]) * scale), lo, hi))"
        types: {x: i32, scale: fp32, lo: fp32, hi: fp32, y: i8}
        dims: {j: 1..16}
        operands: {x: {in: vr, steps: [4 B]}, y: {in: vr, steps: [1 B]}}
  ctl: {kind: controller}
isa:
  width: 192
  mnemonics:
    load: {means: {transfer: "dma.mem->tcm"}, opcode: 1, fields: {s: 32, d: 16, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    store: {means: {transfer: "dma.tcm->mem"}, opcode: 2, fields: {s: 16, d: 32, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    take: {means: {transfer: "ls.tcm->vr"}, opcode: 3, fields: {s: 16, d: 16, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    give: {means: {transfer: "ls.vr->tcm"}, opcode: 4, fields: {s: 16, d: 16, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    mac: {means: {run: alu.mac}, opcode: 5, fields: {j: 5, a: 16, b: 16, c: 16}, args: {j: j, a.base: a, b.base: b, c.base: c}}
    rq: {means: {run: alu.rq}, opcode: 6, fields: {j: 5, x: 16, y: 16, scale: 32, lo: 32, hi: 32}, args: {j: j, x.base: x, y.base: y, scale: scale, lo: lo, hi: hi}}
)yaml");
  const auto job = run_checked(machine,
                               network_of(feature_seed,
                                          [](auto& b) {
                                            return b.average_pool(b.input({1, 9, 6, 6}), 3, 3);
                                          }),
                               feature_seed);
  CHECK(layer_of(job, "SumPool").placed_on == "alu");
}

TEST_CASE("does a unit that reads weights from off-chip memory itself find them there, as its wires want them") {
  const Architecture machine = loaded(R"yaml(
accord: 1
name: direct
numerics: {storage: i8, accumulator: i32, requantise: "i8(clamp(round(fp32(x) * scale), lo, hi))", parameters: {scale: {type: fp32, per: tensor}}}
components:
  mem: {kind: memory, off_chip: true, capacity: 1 MiB, word: 8 B}
  sums: {kind: memory, capacity: 2 KiB, word: 32 B, ports: {read: 2, write: 2}}
  dma: {kind: mover, routes: [{from: mem, to: sums, walk: [{max: 64 B}]}]}
  mx:
    kind: compute
    capabilities:
      mm:
        does: "c[i,j] += i32(a[i,k]) * i32(b[k,j])"
        types: {a: i8, b: i8, c: i32}
        dims: {i: 1..8, j: 1..8, k: 1..24}
        operands: {a: {in: mem, steps: [free, 1 B]}, b: {in: mem, steps: [free, 1 B]}, c: {in: sums, steps: [32 B, 4 B]}}
      rq:
        does: "y[r,q] = i8(clamp(round(fp32(x[r,q]) * scale), lo, hi))"
        types: {x: i32, scale: fp32, lo: fp32, hi: fp32, y: i8}
        dims: {r: 1..8, q: 1..8}
        operands: {x: {in: sums, steps: [32 B, 4 B]}, y: {in: mem, steps: [free, 1 B]}}
  ctl: {kind: controller}
isa:
  width: 256
  mnemonics:
    load: {means: {transfer: "dma.mem->sums"}, opcode: 1, fields: {s: 32, d: 16, n: 8}, args: {src.base: s, dst.base: d, n0: n}}
    mm: {means: {run: mx.mm}, opcode: 2, fields: {i: 4, j: 4, k: 5, a: 24, sa: 24, b: 24, sb: 24, c: 12}, args: {i: i, j: j, k: k, a.base: a, a.stride0: sa, b.base: b, b.stride0: sb, c.base: c}}
    rq: {means: {run: mx.rq}, opcode: 3, fields: {r: 4, q: 4, x: 12, y: 24, sy: 24, scale: 32, lo: 32, hi: 32}, args: {r: r, q: q, x.base: x, y.base: y, y.stride0: sy, scale: scale, lo: lo, hi: hi}}
    fence: {means: fence, opcode: 4}
)yaml");
  SUBCASE("a product") {
    const auto job = run_checked(machine,
                                 network_of(feature_seed,
                                            [](auto& b) {
                                              return b.gemm(b.input({9, 47}), 43);
                                            }),
                                 feature_seed);
    CHECK(layer_of(job, "Gemm").placed_on == "mx");
    // Each instruction does 8 columns, as it may where they are side by side: 24 of them, with 8 rows of up to 4 words
    // and 24 of up to 2. One column at a time would read the rows of `a` over 5000 times.
    CHECK(layer_of(job, "Gemm").cycles < 2500);
  }
  SUBCASE("windows") {
    const auto job = run_checked(machine,
                                 network_of(feature_seed,
                                            [](auto& b) {
                                              return b.conv(b.input({1, 9, 5, 5}), 7, 3, 1, 1);
                                            }),
                                 feature_seed);
    CHECK(layer_of(job, "Conv").placed_on == "mx");
  }
}

TEST_CASE("does a machine whose sums take one multiplier for all channels add a residual itself") {
  std::string text = edited("gemmini16", "i32(x[r,q]) * m[q]", "i32(x[r,q]) * m");
  text = replaced(text, "          m: {in: scales, steps: [4 B]}\n", "");
  text = replaced(text,
                  "scale: {bits: 16, unit: 4}, rows: 8, cols: 8}\n      args: {r: rows, q: cols, x.base: src, c.base",
                  "scale: 32, rows: 8, cols: 8}\n      args: {r: rows, q: cols, x.base: src, c.base");
  text = replaced(text, "m.base: scale", "m: scale");
  const auto job = run_checked(loaded(text),
                               network_of(feature_seed,
                                          [](auto& b) {
                                            const TensorId x = b.conv(b.input({1, 8, 6, 6}), 16, 1);
                                            return b.add(b.conv(x, 16, 3, 1, 1), x);
                                          }),
                               feature_seed);
  CHECK(layer_of(job, "Conv+Accumulate").placed_on == "mesh");
}

TEST_CASE("does a unit without sums keep its products where something is added to them") {
  const Architecture machine =
      loaded(edited("gemmini16", "c[r,q] += i32(x[r,q]) * m[q]", "c[r,q] += max(i32(x[r,q]), 0) * m[q]"));
  const auto block = network_of(feature_seed, [](auto& b) {
    const TensorId x = b.input({1, 16, 8, 8});
    return b.add(b.conv(x, 16, 3, 1, 1), x);
  });
  const auto job = run_checked(machine, block, feature_seed);
  CHECK(layer_of(job, "Conv").placed_on == "mesh");
  CHECK(layer_of(job, "Accumulate").placed_on == "host");
}

TEST_CASE("are words filled where the covenant leaves every step free") {
  // The instruction steps by one byte: a layer that lies in any other way the host would have to do.
  std::string text = edited("gemmini16", "a: {in: spad, steps: [free, 1 B]}", "a: spad");
  text = replaced(text, "a.stride0: a_step}", "a.stride0: a_step, a.stride1: 1 B}");
  const Architecture free = loaded(text);
  const auto layer = network_of(feature_seed, [](auto& b) { return b.conv(b.input({1, 35, 9, 9}), 20, 3, 1, 1); });
  const auto job = run_checked(free, layer, feature_seed),
             wired = run_checked(machine("gemmini16"), layer, feature_seed);
  CHECK(layer_of(job, "Conv").placed_on == "mesh");
  CHECK(layer_of(job, "Conv").cycles < 1.2 * layer_of(wired, "Conv").cycles);
}
