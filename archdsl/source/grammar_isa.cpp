#include "archdsl/source/grammar_tables.h"

namespace accord::tables {

namespace {

constexpr std::array isa_keys = {
    KeyRule{.key = "width",
            .form = Form::integer,
            .meaning = "Bits of an instruction; a multiple of 8.",
            .fallback = "128",
            .range = {8, 4096}},
    KeyRule{.key = "opcode", .form = Form::map, .meaning = "Where the opcode stands.", .map = "opcode"},
    KeyRule{.key = "registers",
            .form = Form::table,
            .meaning = "Registers and register files of the controller.",
            .example = "{stride: 32, r: {count: 32, bits: 32}}",
            .map = "register"},
    KeyRule{
        .key = "mnemonics", .form = Form::table, .meaning = "The instructions.", .required = true, .map = "mnemonic"},
};

constexpr std::array opcode = {
    KeyRule{.key = "offset", .form = Form::integer, .meaning = "Its first bit.", .fallback = "0", .range = {0, 4095}},
    KeyRule{.key = "bits", .form = Form::integer, .meaning = "Its width.", .fallback = "8", .range = {1, 63}},
};

constexpr std::array register_keys = {
    KeyRule{.key = "bits",
            .form = Form::integer,
            .meaning = "Width; values wrap (64 for signed registers only).",
            .required = true,
            .range = {1, 64}},
    KeyRule{.key = "count",
            .form = Form::integer,
            .meaning = "More than one makes a file.",
            .fallback = "1",
            .range = {1, 65536}},
    KeyRule{.key = "signed", .form = Form::flag, .meaning = "Values are sign-extended.", .fallback = "false"},
};

constexpr std::array mnemonic = {
    KeyRule{.key = "means", .form = Form::map, .meaning = "What it does.", .required = true, .map = "meaning"},
    KeyRule{
        .key = "opcode", .form = Form::integer, .meaning = "Its opcode.", .required = true, .range = {0, INT64_MAX}},
    KeyRule{.key = "fields",
            .form = Form::table,
            .meaning = "Fields, one after the other behind the opcode unless `at` says otherwise.",
            .example = "{dst: {bits: 20, unit: 16}, rows: 8}",
            .map = "field"},
    KeyRule{.key = "args",
            .form = Form::table,
            .meaning = "Arguments of the meaning.",
            .example = "{src.base: src, n0: cols}",
            .map = "argument_binding"},
    KeyRule{.key = "post",
            .form = Form::table,
            .meaning = "What is added to registers after the operands are read.",
            .example = "{\"r[base]\": inc}",
            .map = "argument_binding"},
    KeyRule{.key = "doc", .form = Form::text, .meaning = "What it is for."},
};

constexpr std::array meaning = {
    KeyRule{.key = "set",
            .form = Form::list,
            .meaning = "Sets registers: each takes the field of its own name, or what `args` gives for it.",
            .example = "[stride]",
            .map = "register_name"},
    KeyRule{.key = "add",
            .form = Form::list,
            .meaning = "Adds to registers.",
            .example = "[\"r[index]\"]",
            .map = "register_name"},
    KeyRule{.key = "transfer",
            .form = Form::text,
            .meaning = "Starts a mover on a route: `UNIT.FROM->TO`. Arguments: src.base, dst.base, n0 (bytes), n1.., "
                       "src.strideD, dst.strideD for each free step.",
            .example = "\"load.dram->spad\""},
    KeyRule{.key = "run",
            .form = Form::text,
            .meaning = "Runs a capability: `UNIT.CAPABILITY`. Arguments: each dim, NAME.base, NAME.strideP, NAME.load, "
                       "scalars. `core[FIELD].mac.run` takes the element from a field.",
            .example = "mesh.matmul"},
    KeyRule{.key = "wait",
            .form = Form::text,
            .meaning = "The unit's queue waits for a semaphore. Argument: semaphore.",
            .example = "load"},
    KeyRule{.key = "signal",
            .form = Form::text,
            .meaning = "Once the unit's earlier operations are done, the semaphore grows by one. Argument: semaphore.",
            .example = "load"},
};

constexpr std::array field = {
    KeyRule{.key = "bits",
            .form = Form::integer,
            .meaning = "Width (64 for signed fields only).",
            .required = true,
            .range = {1, 64}},
    KeyRule{.key = "unit",
            .form = Form::quantity,
            .meaning = "An argument is raw * unit + bias.",
            .fallback = "1",
            .range = {1, greatest_quantity},
            .example = "16"},
    KeyRule{.key = "bias",
            .form = Form::quantity,
            .meaning = "See `unit`.",
            .fallback = "0",
            .range = {-greatest_quantity, greatest_quantity}},
    KeyRule{.key = "signed", .form = Form::flag, .meaning = "The raw value is signed.", .fallback = "false"},
    KeyRule{.key = "at",
            .form = Form::integer,
            .meaning = "First bit (default: behind the field before).",
            .range = {0, 4095}},
};

constexpr std::array rules = {
    MapRule{"isa", "The instruction set: instructions of one width, bits counted from 0, little-endian.", isa_keys},
    MapRule{"opcode", "The opcode's place.", opcode},
    MapRule{"register", "A register or a file of them.", register_keys, Form::integer, "its bits"},
    MapRule{"mnemonic", "An instruction.", mnemonic},
    MapRule{"meaning",
            "What an instruction does: one of the keys, or `fence` (dispatch goes on once all units are idle), or "
            "`loop` (arguments count, length: the next `length` instructions run `count` times).",
            meaning, Form::word, "`fence` or `loop`"},
    MapRule{"field", "A field of an instruction.", field, Form::integer, "its bits"},
    MapRule{"argument_binding",
            "Where an argument comes from.",
            {},
            Form::binding,
            "a sum of at most one field, one register and numbers: `\"r[base] + disp + 64 B\"`"},
    MapRule{"register_name", "A register.", {}, Form::text, "its name, `FILE[FIELD]` or `FILE[3]`"},
};

}  // namespace

const std::span<const MapRule> isa = rules;

}  // namespace accord::tables
