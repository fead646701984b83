#include "archdsl/source/grammar_tables.h"

namespace accord::tables {

namespace {

constexpr std::int64_t greatest_extent = std::int64_t{1} << 40;

constexpr KeyRule kind = {.key = "kind",
                          .form = Form::word,
                          .meaning = "Kind of the component.",
                          .required = true,
                          .words = "memory link mover compute controller"};
constexpr KeyRule when = {.key = "when",
                          .form = Form::flag,
                          .meaning = "False: this component does not exist.",
                          .fallback = "true",
                          .example = "\"${i > 0}\""};
constexpr KeyRule doc = {.key = "doc", .form = Form::text, .meaning = "What the component is."};
constexpr KeyRule clock = {
    .key = "clock",
    .form = Form::name,
    .meaning = "Its clock domain (default: the first). Its cycles and bytes per cycle are this domain's.",
    .example = "memory"};
constexpr KeyRule area = {.key = "area", .form = Form::area, .meaning = "um^2.", .fallback = "0", .example = "12500"};

constexpr std::array memory = {
    kind,
    when,
    doc,
    clock,
    KeyRule{.key = "capacity",
            .form = Form::bytes,
            .meaning = "Bytes; a multiple of word * banks.",
            .required = true,
            .range = {1, greatest_quantity},
            .example = "256 KiB"},
    KeyRule{.key = "word",
            .form = Form::bytes,
            .meaning = "What one port reads or writes in a cycle.",
            .fallback = "1 B",
            .range = {1, 1 << 20},
            .example = "16 B"},
    KeyRule{.key = "width", .form = Form::bytes, .meaning = "Another name for `word`.", .range = {1, 1 << 20}},
    KeyRule{.key = "off_chip",
            .form = Form::flag,
            .meaning = "Holds a network's tensors; at least one memory does.",
            .fallback = "false"},
    KeyRule{.key = "banks",
            .form = Form::integer,
            .meaning = "On chip: consecutive blocks of the capacity. Off chip: channels, interleaved by word.",
            .fallback = "1",
            .range = {1, 4096},
            .example = "4"},
    KeyRule{.key = "ports", .form = Form::map, .meaning = "Ports of each bank.", .map = "ports"},
    KeyRule{.key = "partitions",
            .form = Form::table,
            .meaning = "Parts with names of their own (`NAME.PART`), each of whole banks; the memory itself then has "
                       "no address space.",
            .example = "{ping: 2, pong: 2}",
            .map = "partition"},
    KeyRule{.key = "latency",
            .form = Form::cycles,
            .meaning = "From a request's acceptance to its first word.",
            .fallback = "1",
            .range = {0, 1'000'000},
            .example = "4"},
    KeyRule{.key = "energy", .form = Form::map, .meaning = "pJ per byte.", .map = "memory_energy"},
    area,
};

constexpr std::array ports = {
    KeyRule{.key = "read",
            .form = Form::integer,
            .meaning = "Words read per cycle and bank.",
            .fallback = "1",
            .range = {1, 64}},
    KeyRule{.key = "write",
            .form = Form::integer,
            .meaning = "Words written per cycle and bank.",
            .fallback = "1",
            .range = {1, 64}},
};

constexpr std::array memory_energy = {
    KeyRule{.key = "read", .form = Form::energy, .meaning = "Per byte read.", .fallback = "0", .example = "0.6 pJ"},
    KeyRule{.key = "write", .form = Form::energy, .meaning = "Per byte written.", .fallback = "0"},
};

constexpr std::array link = {
    kind,
    when,
    doc,
    clock,
    KeyRule{.key = "width",
            .form = Form::rate,
            .meaning = "Bytes per cycle, or a bandwidth.",
            .required = true,
            .range = {1, 1 << 20},
            .example = "16 B"},
    KeyRule{
        .key = "duplex",
        .form = Form::flag,
        .meaning = "Reads from and writes to off-chip memory do not compete; between two ends, the directions do not.",
        .fallback = "false"},
    KeyRule{.key = "latency",
            .form = Form::cycles,
            .meaning = "From one end to the other.",
            .fallback = "0",
            .range = {0, 1'000'000}},
    KeyRule{.key = "crossbar",
            .form = Form::flag,
            .meaning = "Requests compete only where they share the source memory or the target memory.",
            .fallback = "false"},
    KeyRule{.key = "arbitration",
            .form = Form::word,
            .meaning = "Who goes first among requests that wait: the earliest, in turn, or the unit that stands first "
                       "in the covenant.",
            .fallback = "first_come",
            .words = "first_come round_robin priority"},
    KeyRule{.key = "fifo",
            .form = Form::bytes,
            .meaning =
                "Bytes that the link holds for a target that is busy, before it stops taking more (default: no limit).",
            .range = {1, greatest_quantity},
            .example = "64 B"},
    KeyRule{
        .key = "between",
        .form = Form::list,
        .meaning = "The two ends, components or instances: routes that name no link find their way over such links.",
        .example = "[core[0], dram]",
        .map = "end"},
    KeyRule{.key = "energy", .form = Form::energy, .meaning = "pJ per byte.", .fallback = "0", .example = "0.5 pJ"},
};

constexpr std::array mover = {
    kind,
    when,
    doc,
    clock,
    KeyRule{.key = "routes",
            .form = Form::list,
            .meaning = "The ways that it can drive.",
            .example = "[dram -> spad]",
            .map = "route"},
    KeyRule{.key = "link",
            .form = Form::reference,
            .meaning = "Link of the routes that name none (default: the way over links with `between`, else a private "
                       "wire as wide as the narrower memory's word).",
            .example = "bus"},
    KeyRule{.key = "request",
            .form = Form::bytes,
            .meaning = "Greatest size of one request.",
            .fallback = "64 B",
            .range = {1, 1 << 20}},
    KeyRule{.key = "in_flight",
            .form = Form::integer,
            .meaning = "Requests under way.",
            .fallback = "1",
            .range = {1, 65536},
            .example = "16"},
    KeyRule{.key = "setup",
            .form = Form::cycles,
            .meaning = "Before an operation's first request.",
            .fallback = "0",
            .range = {0, 1'000'000},
            .example = "20"},
    KeyRule{.key = "queue",
            .form = Form::integer,
            .meaning = "Operations that wait here.",
            .fallback = "4",
            .range = {1, 65536}},
    KeyRule{.key = "capabilities",
            .form = Form::table,
            .meaning = "What it does to data on the way: convert, transpose, im2col, accumulate, pool.",
            .map = "capability"},
    area,
};

constexpr std::array route = {
    KeyRule{.key = "from", .form = Form::reference, .meaning = "Source memory.", .required = true, .example = "dram"},
    KeyRule{
        .key = "to",
        .form = Form::reference,
        .meaning =
            "Target memory; a list of alike memories is a multicast: all receive the same bytes at the same addresses.",
        .required = true,
        .example = "spad"},
    KeyRule{.key = "link",
            .form = Form::reference,
            .meaning = "Link, or list of links passed one after the other (default: the mover's)."},
    KeyRule{.key = "walk",
            .form = Form::list,
            .meaning = "Dimensions of the address walk, innermost first (default: three, all strides free, no limits).",
            .example = "[{max: 16 B}, {max: 64, source: free, target: 16 B}]",
            .map = "walk"},
};

constexpr std::array walk = {
    KeyRule{.key = "max",
            .form = Form::quantity,
            .meaning = "Greatest extent: bytes in the innermost dimension, steps in the others (default: no limit).",
            .range = {1, greatest_extent}},
    KeyRule{.key = "source",
            .form = Form::step,
            .meaning = "Step on the source side: bytes, or `free` (an argument); default: dense.",
            .example = "free"},
    KeyRule{.key = "target", .form = Form::step, .meaning = "Step on the target side."},
};

constexpr std::array compute = {
    kind,
    when,
    doc,
    clock,
    KeyRule{.key = "capabilities",
            .form = Form::table,
            .meaning = "What it can do in one go.",
            .required = true,
            .map = "capability"},
    KeyRule{.key = "queue",
            .form = Form::integer,
            .meaning = "Operations that wait here.",
            .fallback = "4",
            .range = {1, 65536}},
    area,
};

constexpr std::array capability = {
    KeyRule{.key = "does",
            .form = Form::statement,
            .meaning = "Tensor statement or list of them.",
            .required = true,
            .example = "\"c[i,j] += i32(a[i,k]) * i32(b[k,j])\""},
    KeyRule{.key = "types",
            .form = Form::table,
            .meaning = "Element type of every operand.",
            .required = true,
            .example = "{a: i8, b: i8, c: i32}",
            .map = "operand_type"},
    KeyRule{.key = "dims",
            .form = Form::table,
            .meaning = "Extents of the iterators.",
            .example = "{i: 1..16, j: 16, k: {min: 4, max: 16, multiple: 4}}",
            .map = "dimension"},
    KeyRule{
        .key = "operands",
        .form = Form::table,
        .meaning = "Where the operands lie; one without indices and without entry is an argument of the instruction.",
        .example = "{a: spad, b: {in: spad, held: true}}",
        .map = "operand"},
    KeyRule{.key = "timing", .form = Form::map, .meaning = "Cycles.", .map = "timing"},
    KeyRule{.key = "energy",
            .form = Form::energy,
            .meaning = "pJ per point of the iteration space.",
            .fallback = "0",
            .example = "0.2 pJ"},
};

constexpr std::array dimension = {
    KeyRule{.key = "max",
            .form = Form::integer,
            .meaning = "Greatest extent.",
            .required = true,
            .range = {1, greatest_extent}},
    KeyRule{.key = "min",
            .form = Form::integer,
            .meaning = "Least extent (default: `multiple`).",
            .range = {1, greatest_extent}},
    KeyRule{.key = "multiple",
            .form = Form::integer,
            .meaning = "Extents are multiples of this.",
            .fallback = "1",
            .range = {1, greatest_extent}},
};

constexpr std::array operand = {
    KeyRule{.key = "in", .form = Form::reference, .meaning = "The memory.", .required = true, .example = "spad"},
    KeyRule{.key = "held",
            .form = Form::flag,
            .meaning = "Stays in the unit: argument NAME.load says whether it is read anew.",
            .fallback = "false"},
    KeyRule{.key = "steps",
            .form = Form::list,
            .meaning = "Bytes from one index to the next, per index position (default: all free).",
            .example = "[free, 1 B]",
            .map = "operand_step"},
};

constexpr std::array timing = {
    KeyRule{.key = "start", .form = Form::formula, .meaning = "From issue to the first operand read.", .fallback = "0"},
    KeyRule{
        .key = "interval",
        .form = Form::formula,
        .meaning =
            "Until the next operation can issue (default: 1 on compute units, 0 on movers, where it is a lower limit).",
        .example = "\"max(i, 16)\""},
    KeyRule{.key = "drain", .form = Form::formula, .meaning = "From the last operand read to done.", .fallback = "0"},
};

constexpr std::array controller = {
    kind,
    when,
    doc,
    KeyRule{.key = "feeds",
            .form = Form::list,
            .meaning = "Units that it issues to (default: all; all must be fed).",
            .example = "[load, mesh, store]",
            .map = "fed_unit"},
    KeyRule{.key = "issue_width",
            .form = Form::integer,
            .meaning = "Instructions per cycle.",
            .fallback = "1",
            .range = {1, 1024}},
    KeyRule{.key = "loop_depth",
            .form = Form::integer,
            .meaning = "Nested hardware loops.",
            .fallback = "0",
            .range = {0, 64}},
};

constexpr std::array rules = {
    MapRule{"memory", "Scratchpad, register file, buffer or off-chip DRAM.", memory},
    MapRule{"ports", "Ports of a bank.", ports},
    MapRule{"memory_energy", "Energy per byte.", memory_energy},
    MapRule{"partition", "A part of a memory.", {}, Form::integer, "its number of banks"},
    MapRule{"link", "A bus, crossbar or wire.", link},
    MapRule{
        "end", "An end of a link.", {}, Form::reference, "a memory, or an instance or element with the memories in it"},
    MapRule{"mover", "A DMA engine or load/store unit.", mover},
    MapRule{"route", "A way from memory to memory.", route, Form::arrow, "`FROM -> TO`"},
    MapRule{"walk", "A dimension of an address walk.", walk},
    MapRule{"compute", "A compute unit.", compute},
    MapRule{"capability", "What a unit does in one go.", capability},
    MapRule{"operand_type", "An operand's element type.", {}, Form::type, "the type"},
    MapRule{"dimension", "Legal extents of an iterator.", dimension, Form::interval, "`N` (exactly), or `LOW..HIGH`"},
    MapRule{"operand", "Where an operand lies.", operand, Form::reference, "the memory alone, all steps free"},
    MapRule{"operand_step", "A step.", {}, Form::step, "bytes, or `free` (an argument of the instruction)"},
    MapRule{"timing", "Formulas over the dims and NAME.load of held operands.", timing},
    MapRule{"controller", "Fetches, decodes and dispatches in program order.", controller},
    MapRule{"fed_unit", "A unit.", {}, Form::reference, "its name"},
};

}  // namespace

const std::span<const MapRule> components = rules;

}  // namespace accord::tables
