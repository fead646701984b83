#include "archdsl/source/grammar_tables.h"

namespace accord::tables {

namespace {

constexpr std::array covenant = {
    KeyRule{.key = "accord",
            .form = Form::integer,
            .meaning = "Version of the language.",
            .required = true,
            .range = {1, 1},
            .example = "1"},
    KeyRule{.key = "name", .form = Form::name, .meaning = "Name of the machine.", .required = true, .example = "ws16"},
    KeyRule{.key = "source",
            .form = Form::text,
            .meaning = "Where the description comes from: paper, section, manual.",
            .example = "\"Genc et al., DAC 2021\""},
    KeyRule{.key = "extends",
            .form = Form::path,
            .meaning = "Another covenant: what this file says is laid over it, map by map; `~` removes a key.",
            .example = "gemmini16.yaml"},
    KeyRule{.key = "include",
            .form = Form::path,
            .meaning = "A file or a list of files whose sections join those of this file; no key may stand in both.",
            .example = "[parts/ddr4_2400.yaml]"},
    KeyRule{.key = "resolved",
            .form = Form::flag,
            .meaning = "Component names are literal: no arrays are expanded. Written by `accord show -o F.yaml`.",
            .fallback = "false"},
    KeyRule{.key = "params",
            .form = Form::table,
            .meaning = "Named values that expressions use and `--set` replaces.",
            .example = "{dim: 16}",
            .map = "param"},
    KeyRule{.key = "tables",
            .form = Form::table,
            .meaning = "Files of figures (energy, area) that expressions look up as `NAME.KEY` or `NAME.CURVE(x)`.",
            .example = "{e45: energy/horowitz_45nm.yaml}",
            .map = "table_file"},
    KeyRule{.key = "clock",
            .form = Form::frequency,
            .meaning = "The only clock.",
            .fallback = "1 GHz",
            .range = {1, 1'000'000'000'000'000},
            .example = "700 MHz"},
    KeyRule{.key = "clocks",
            .form = Form::table,
            .meaning = "Several clock domains; the first is the reference in which cycles are counted.",
            .example = "{core: 1 GHz, memory: {frequency: 800 MHz, crossing: 2}}",
            .map = "clock_domain"},
    KeyRule{.key = "numerics",
            .form = Form::map,
            .meaning = "The machine's number types: what the quantiser aims at.",
            .map = "numerics"},
    KeyRule{.key = "templates",
            .form = Form::table,
            .meaning = "Groups of components with params of their own.",
            .map = "template"},
    KeyRule{.key = "components",
            .form = Form::table,
            .meaning = "Memories, links, movers, compute units, the controller, and instances of templates; `name[N]` "
                       "and `name[N][M]` are arrays.",
            .required = true,
            .map = "component"},
    KeyRule{.key = "wiring",
            .form = Form::list,
            .meaning = "Links between the elements of arrays, by pattern.",
            .example = "{mesh: core, width: 8 B}",
            .map = "wiring"},
    KeyRule{.key = "sync",
            .form = Form::map,
            .meaning = "How order between units is kept.",
            .fallback = "in_order",
            .map = "sync"},
    KeyRule{.key = "isa", .form = Form::map, .meaning = "The instruction set.", .required = true, .map = "isa"},
};

constexpr std::array param = {
    KeyRule{.key = "value",
            .form = Form::quantity,
            .meaning = "The default: a number, with or without a unit, an expression over other params, or a word.",
            .required = true,
            .example = "256 KiB"},
    KeyRule{.key = "type",
            .form = Form::word,
            .meaning = "What values are legal.",
            .words = "integer number bytes frequency time cycles energy bandwidth word flag"},
    KeyRule{.key = "range",
            .form = Form::list,
            .meaning = "Lowest and highest legal value, with the value's unit.",
            .example = "[4, 256]"},
    KeyRule{.key = "values", .form = Form::list, .meaning = "All legal values.", .example = "[8, 16, 32]"},
    KeyRule{
        .key = "unit", .form = Form::text, .meaning = "Unit of a value that is written without one.", .example = "KiB"},
    KeyRule{
        .key = "doc", .form = Form::text, .meaning = "What the param is.", .example = "processing elements per side"},
};

constexpr std::array clock_domain = {
    KeyRule{.key = "frequency",
            .form = Form::frequency,
            .meaning = "The domain's clock.",
            .required = true,
            .range = {1, 1'000'000'000'000'000},
            .example = "800 MHz"},
    KeyRule{.key = "crossing",
            .form = Form::integer,
            .meaning = "Cycles of this domain that data entering it wait for the synchroniser.",
            .fallback = "2",
            .range = {0, 1024},
            .example = "3"},
};

constexpr std::array numerics = {
    KeyRule{.key = "storage",
            .form = Form::type,
            .meaning = "Element type of activations; an integer type makes an integer machine.",
            .fallback = "i8"},
    KeyRule{.key = "weight", .form = Form::type, .meaning = "Element type of weights (default: as storage)."},
    KeyRule{.key = "accumulator",
            .form = Form::type,
            .meaning = "Element type of sums (default: i32, or fp32 where storage is float)."},
    KeyRule{
        .key = "requantise",
        .form = Form::expression,
        .meaning =
            "How a sum `x` becomes a stored value: over x, the parameters, lo and hi (default: scale, round, clamp).",
        .example = "\"i8(clamp(round(fp32(x) * scale), lo, hi))\""},
    KeyRule{.key = "parameters",
            .form = Form::table,
            .meaning = "Parameters of the requantisation (default: scale, fp32, per channel, on integer machines).",
            .example = "{mult: i32, shift: i32}",
            .map = "parameter"},
};

constexpr std::array parameter = {
    KeyRule{.key = "type", .form = Form::type, .meaning = "Element type.", .required = true},
    KeyRule{.key = "per",
            .form = Form::word,
            .meaning = "One value per output channel or per tensor.",
            .fallback = "channel",
            .words = "channel tensor"},
};

constexpr std::array template_keys = {
    KeyRule{.key = "doc", .form = Form::text, .meaning = "What the template is."},
    KeyRule{.key = "params",
            .form = Form::table,
            .meaning = "Its arguments, with defaults; only these and the covenant's params are visible inside.",
            .example = "{dim: 16}",
            .map = "param"},
    KeyRule{.key = "components",
            .form = Form::table,
            .meaning = "Its components; names are first looked up here, then where the template is instantiated.",
            .required = true,
            .map = "component"},
};

constexpr std::array instance = {
    KeyRule{.key = "template",
            .form = Form::name,
            .meaning = "The template that is instantiated.",
            .required = true,
            .example = "core"},
    KeyRule{
        .key = "with",
        .form = Form::table,
        .meaning = "Arguments: values of the template's params. In an array `i`, `j`, `k` are the element's indices.",
        .example = "{dim: 8, row: \"${i}\"}",
        .map = "argument"},
    KeyRule{.key = "when",
            .form = Form::flag,
            .meaning = "False: this component does not exist.",
            .fallback = "true",
            .example = "\"${i > 0}\""},
};

constexpr std::array wiring = {
    KeyRule{.key = "mesh",
            .form = Form::reference,
            .meaning = "Array whose orthogonal neighbours are joined.",
            .example = "core"},
    KeyRule{
        .key = "torus", .form = Form::reference, .meaning = "As mesh, and the ends of each row and column are joined."},
    KeyRule{.key = "ring",
            .form = Form::reference,
            .meaning = "Array whose elements are joined one after the other, and the last to the first."},
    KeyRule{.key = "chain", .form = Form::reference, .meaning = "Array whose elements are joined one after the other."},
    KeyRule{
        .key = "all_to_all", .form = Form::reference, .meaning = "Array whose elements are all joined to each other."},
    KeyRule{.key = "star", .form = Form::reference, .meaning = "Array whose elements are all joined to `hub`."},
    KeyRule{.key = "hub",
            .form = Form::reference,
            .meaning = "The component or instance in the middle of a star.",
            .example = "dram"},
    KeyRule{.key = "name",
            .form = Form::name,
            .meaning = "Links are called NAME[0], NAME[1].. (default: the pattern's name).",
            .example = "noc"},
    KeyRule{.key = "width",
            .form = Form::rate,
            .meaning = "Of each link.",
            .required = true,
            .range = {1, 1 << 20},
            .example = "8 B"},
    KeyRule{
        .key = "latency", .form = Form::cycles, .meaning = "Of each link.", .fallback = "1", .range = {0, 1'000'000}},
    KeyRule{.key = "duplex", .form = Form::flag, .meaning = "Both directions at once.", .fallback = "true"},
    KeyRule{.key = "energy",
            .form = Form::energy,
            .meaning = "pJ per byte and link.",
            .fallback = "0",
            .example = "0.1 pJ"},
    KeyRule{.key = "clock", .form = Form::name, .meaning = "Clock domain of the links (default: the first)."},
};

constexpr std::array sync = {
    KeyRule{.key = "semaphores",
            .form = Form::map,
            .meaning = "Only explicit waits and signals order the units.",
            .map = "semaphores"},
    KeyRule{.key = "interlock",
            .form = Form::map,
            .meaning = "Operations wait until the on-chip ranges that they touch are free.",
            .map = "interlock"},
};

constexpr std::array semaphores = {
    KeyRule{.key = "count",
            .form = Form::integer,
            .meaning = "How many there are.",
            .required = true,
            .range = {1, 65536},
            .example = "32"},
    KeyRule{.key = "max",
            .form = Form::integer,
            .meaning = "Greatest count of one.",
            .fallback = "255",
            .range = {1, std::int64_t{1} << 31}},
};

constexpr std::array interlock = {
    KeyRule{.key = "entries",
            .form = Form::integer,
            .meaning = "Operations that may be dispatched and not done.",
            .required = true,
            .range = {1, 65536},
            .example = "28"},
};

constexpr std::array figures = {
    KeyRule{.key = "table",
            .form = Form::integer,
            .meaning = "Version of the format.",
            .required = true,
            .range = {1, 1},
            .example = "1"},
    KeyRule{.key = "name", .form = Form::name, .meaning = "Name of the table.", .required = true},
    KeyRule{.key = "source", .form = Form::text, .meaning = "Citation of all its figures.", .required = true},
    KeyRule{.key = "values",
            .form = Form::table,
            .meaning = "Single figures.",
            .example = "{add_i8: 0.03 pJ}",
            .map = "figure"},
    KeyRule{.key = "curves", .form = Form::table, .meaning = "Figures over one quantity.", .map = "curve"},
};

constexpr std::array figure = {
    KeyRule{.key = "value", .form = Form::quantity, .meaning = "The figure.", .required = true, .example = "0.03 pJ"},
    KeyRule{.key = "doc", .form = Form::text, .meaning = "What it is."},
    KeyRule{.key = "source", .form = Form::text, .meaning = "Where it stands."},
};

constexpr std::array curve = {
    KeyRule{
        .key = "points",
        .form = Form::list,
        .meaning = "Ascending points; between two of them the power law through both holds, beyond the ends nothing.",
        .required = true,
        .example = "[[8 KiB, 10 pJ], [32 KiB, 20 pJ]]",
        .map = "point"},
    KeyRule{.key = "doc", .form = Form::text, .meaning = "What it is."},
    KeyRule{.key = "source", .form = Form::text, .meaning = "Where it stands."},
};

constexpr std::array rules = {
    MapRule{"covenant", "The whole file.", covenant},
    MapRule{"param", "A named value.", param, Form::quantity, "the value alone"},
    MapRule{"table_file", "A file of figures.", {}, Form::path, "the file's path"},
    MapRule{"clock_domain", "A clock domain.", clock_domain, Form::frequency, "the frequency alone"},
    MapRule{"numerics", "Number types.", numerics},
    MapRule{"parameter", "A parameter of the requantisation.", parameter, Form::type, "the type alone, per channel"},
    MapRule{"template", "A group of components.", template_keys},
    MapRule{"instance", "An instance of a template.", instance},
    MapRule{"argument", "The value of a template's param.", {}, Form::quantity, "the value"},
    MapRule{"wiring", "Links by pattern; exactly one of mesh, torus, ring, chain, all_to_all, star.", wiring},
    MapRule{"sync", "Order between units: one of the two keys, or `in_order`.", sync, Form::word, "`in_order`"},
    MapRule{"semaphores", "Counting semaphores.", semaphores, Form::integer, "their number"},
    MapRule{"interlock", "A scoreboard of address ranges.", interlock},
    MapRule{"figures", "A table file (`tables`).", figures},
    MapRule{"figure", "A figure.", figure, Form::quantity, "the value alone"},
    MapRule{"curve", "A curve.", curve},
    MapRule{"point", "A point.", {}, Form::list, "a list of two numbers"},
};

}  // namespace

const std::span<const MapRule> structure = rules;

}  // namespace accord::tables
