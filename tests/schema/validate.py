#!/usr/bin/env python3
"""Does the schema that `accord schema` prints agree with the files, judged by a validator that is not ours?

Usage: validate.py ACCORD SOURCE_DIR. Exit 77 (skipped) without Debian's python3-jsonschema and python3-yaml.
"""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

try:
    import jsonschema
    from yaml_core import load
except ImportError as missing:
    print(f"{missing}: install python3-jsonschema and python3-yaml (.ci/setup)")
    sys.exit(77)

KINDS = ("covenant", "fragment", "figures")

# Accepted covenants that no schema can describe, with the reason. None so far.
BEYOND_SCHEMAS = {}

# What the checker refuses and the schema must refuse too, with the place of the mistake.
REFUSED = {
    "bad_clock": "clock",
    "bad_flag": "components.dram.off_chip",
    "bad_name": "name",
    "banks_zero": "components.buf.banks",
    "capacity_missing": "components.buf",
    "capacity_without_unit": "components.buf.capacity",
    "clock_is_bytes": "clock",
    "component_is_a_list": "components.ctl",
    "empty": "",
    "huge_numbers": "isa.width",
    "list_root": "",
    "merge_key": "components.more",
    "missing_kind": "components.dma",
    "missing_top_keys": "",
    "open_expression": "components.alu.capabilities.relu.dims.i",
    "param_bad_range": "params.lanes.range",
    "param_not_a_number": "params.lanes.value",
    "param_unknown_key": "params.lanes",
    "parameter_per_what": "numerics.parameters.scale.per",
    "route_without_arrow": "components.dma.routes.0",
    "scalar_root": "",
    "sync_unknown": "sync",
    "sync_without_entries": "sync.interlock",
    "unknown_key_in_memory": "components.buf",
    "unknown_kind": "components.dma.kind",
    "unknown_meaning": "isa.mnemonics.relu.means",
    "unknown_top_key": "",
    "unknown_type": "components.alu.capabilities.relu.types.x",
    "wrong_version": "accord",
}


class Suite:
    def __init__(self, accord, source):
        self.accord, self.source, self.failures, self.checks = accord, source, [], 0
        self.schemas = {kind: self.print_schema(kind) for kind in KINDS}

    def print_schema(self, kind):
        run = subprocess.run([self.accord, "schema", "--of", kind], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    def expect(self, holds, message):
        self.checks += 1
        if not holds:
            self.failures.append(message)

    def mistakes(self, kind, document):
        return list(jsonschema.Draft7Validator(self.schemas[kind]).iter_errors(document))

    def accepts(self, file, kind):
        for mistake in self.mistakes(kind, load(file)):
            deepest = jsonschema.exceptions.best_match([mistake])
            place = ".".join(map(str, deepest.absolute_path))
            self.expect(False, f"{file}: {place}: {deepest.message[:200]}")
        self.checks += 1

    def checker_accepts(self, file):
        return subprocess.run([self.accord, "check", str(file)], capture_output=True).returncode == 0

    def schemas_are_schemas(self):
        for kind, schema in self.schemas.items():
            try:
                jsonschema.Draft7Validator.check_schema(schema)
            except jsonschema.SchemaError as error:
                self.expect(False, f"{kind}: {error.message}")

    def defaults_and_examples_are_valid(self):
        for kind, schema in self.schemas.items():
            for name, definition in schema["definitions"].items():
                for alternative in [definition, *definition.get("anyOf", [])]:
                    for key, rule in alternative.get("properties", {}).items():
                        self.values_are_valid(f"{kind}: {name}.{key}", schema, rule)

    def values_are_valid(self, place, schema, rule):
        validator = jsonschema.Draft7Validator({**rule, "definitions": schema["definitions"]})
        for value in rule.get("examples", []) + ([rule["default"]] if "default" in rule else []):
            self.expect(validator.is_valid(value), f"{place}: {value!r} is not valid by its own schema")

    def shipped_files_are_valid(self):
        files = sorted([*self.source.glob("configs/**/*.yaml"), *self.source.glob("examples/**/*.yaml"),
                        *self.source.glob("tests/accept/**/*.yaml")])
        covenants = 0
        for file in files:
            if file.stem in BEYOND_SCHEMAS:
                continue
            kind = kind_of(load(file))
            covenants += kind == "covenant"
            if kind:
                self.accepts(file, kind)
        self.expect(covenants >= 25, f"only {covenants} covenants found")

    def own_files(self):
        """valid/ and invalid/ hold what no shipped file shows; the checker agrees on the covenants among them."""
        for file in sorted((self.source / "tests/schema/valid").glob("*.yaml")):
            kind = kind_of(load(file))
            self.accepts(file, kind)
            if kind == "covenant":
                self.expect(self.checker_accepts(file), f"{file}: the checker refuses it")
        for file in sorted((self.source / "tests/schema/invalid").glob("*.yaml")):
            kind = file.stem.split("_")[0]
            self.expect(self.mistakes(kind, load(file)), f"{file}: the schema accepts it")
            if kind == "covenant":
                self.expect(not self.checker_accepts(file), f"{file}: the checker accepts it")

    def wrong_files_are_refused(self):
        for stem, place in REFUSED.items():
            mistakes = self.mistakes("covenant", load(self.source / f"tests/reject/{stem}.yaml"))
            places = {".".join(map(str, deep.absolute_path)) for mistake in mistakes for deep in leaves(mistake)}
            self.expect(place in places, f"{stem}: no mistake at `{place}` but at {sorted(places)}")


def leaves(mistake):
    yield mistake
    for inner in mistake.context or []:
        yield from leaves(inner)


def kind_of(document):
    """Which schema a file is for; none where it is no part of the language (a topology table)."""
    keys = set(document) if isinstance(document, dict) else set()
    if keys & {"accord", "extends"}:
        return "covenant"
    if "table" in keys:
        return "figures"
    return "fragment" if keys & {"components", "templates", "isa", "numerics", "clocks"} else None


def main():
    suite = Suite(sys.argv[1], pathlib.Path(sys.argv[2]))
    suite.schemas_are_schemas()
    suite.defaults_and_examples_are_valid()
    suite.shipped_files_are_valid()
    suite.own_files()
    suite.wrong_files_are_refused()
    print(*suite.failures, sep="\n")
    print(f"{suite.checks} checks, {len(suite.failures)} failures")
    return 1 if suite.failures else 0


if __name__ == "__main__":
    sys.exit(main())
