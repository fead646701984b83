#!/usr/bin/env python3
"""Do schema and checker agree on damaged covenants? Usage: agree.py ACCORD SOURCE_DIR [ROUNDS [SEED]]

What the schema refuses the checker must refuse; where the checker finds unknown or missing keys or wrong forms, the
schema must find something, unless what is wrong may stand in another file. Exit 77 (skipped) without Debian's python3-jsonschema and python3-yaml.
"""
import collections
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is

try:
    import jsonschema
    from yaml_core import load
except ImportError as missing:
    print(f"{missing}: install python3-jsonschema and python3-yaml (.ci/setup)")
    sys.exit(77)

KEY_CODES = {"unknown-key", "missing-key", "wrong-form"}
STRANGE = ["zzz", "", "a b", 0, -1, 1.5, 10**20, "16", "3 pJ", "64 B", "2 cycles", "1 GHz", "${1}", "a -> b", "true", None,
           [], [1], {}, {"zzz": 1}, "free", "1..4"]


def places(node, path=()):
    """Every value's path, the root left out."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in entries:
        yield path + (key,)
        yield from places(value, path + (key,))


def damage(document, dice):
    """One value replaced, renamed, wrapped or removed."""
    result = copy.deepcopy(document)
    everywhere = list(places(result))
    path = dice.choice(everywhere)
    parent = result
    for key in path[:-1]:
        parent = parent[key]
    kind = dice.randrange(4)
    if kind == 0 and isinstance(parent, dict):
        parent[dice.choice(["zzz", dice.choice(everywhere)[-1], "a b"])] = parent.pop(path[-1])
    elif kind == 1:
        del parent[path[-1]]
    elif kind == 2:
        parent[path[-1]] = [parent[path[-1]]]
    else:
        parent[path[-1]] = dice.choice(STRANGE)
    return json.loads(json.dumps(result)), path  # keys become texts


def unread(document, path):
    """The checker takes anything as `doc`, and does not read components that `when` leaves out."""
    for key in path:
        if key == "doc" or isinstance(document, dict) and "when" in document:
            return True
        document = document[key]
    return False


def checker_codes(accord, document, folder, path):
    """Codes of the checker's errors; none where it accepts; its exit status where it fails.
    `path`: where other files are looked for."""
    file, answer = folder / "covenant.yaml", folder / "answer.json"
    file.write_text(json.dumps(document))
    run = subprocess.run([accord, "check", str(file), "--json", str(answer)], capture_output=True,
                         env={**os.environ, "ACCORD_PATH": str(path)})
    if run.returncode not in (0, 1):
        return {f"exit {run.returncode}"}
    found = json.loads(answer.read_text())["diagnostics"]
    return {d["code"] for d in found if d["severity"] == "error"}


def main():
    accord, source = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds, dice = int((sys.argv[3:] or [200])[0]), random.Random(int((sys.argv[4:] or [1])[0]))
    printed = subprocess.run([accord, "schema"], capture_output=True, text=True, check=True)
    validator = jsonschema.Draft7Validator(json.loads(printed.stdout))
    files = [*sorted((source / "tests/accept").glob("*.yaml")), source / "tests/schema/valid/machine.yaml"]
    documents = [load(file) for file in files]
    tally, failures = collections.Counter(), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "figures.yaml").write_bytes((source / "tests/schema/valid/figures.yaml").read_bytes())
        for _ in range(rounds):
            sound = dice.choice(documents)
            document, path = damage(sound, dice)
            mistake = jsonschema.exceptions.best_match(validator.iter_errors(document))
            codes = checker_codes(accord, document, folder, source / "tests/accept")
            alone = not {"extends", "include"} & set(document)
            tally[(mistake is not None, bool(codes))] += 1
            if any(code.startswith("exit") for code in codes):
                failures.append(f"{path}: the checker fails ({codes}) on {json.dumps(document)}")
            elif mistake and not codes and not unread(sound, path):
                failures.append(f"{path}: only the schema refuses it: {mistake.message[:160]}")
            elif codes & KEY_CODES and alone and not mistake:
                failures.append(f"{path}: only the checker refuses it: {sorted(codes & KEY_CODES)}")
    print(*failures, sep="\n")
    print(f"refused by both {tally[True, True]}, by the checker alone {tally[False, True]}, "
          f"by neither {tally[False, False]}; disagreements {len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
