"""Runs of `accord run` and `accord compile`, and what the benches read off their JSON."""
import json
import pathlib
import subprocess
import tempfile

from layer_list import write_layers


def call(accord, command, machine, model, settings=(), options=(), timeout=3600):
    """The JSON of `accord run` or `accord compile` and "", or None and the last line of its complaint."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "result.json")
        words = [accord, command, "--arch", str(machine), "--model", str(model), "--json", str(out)]
        words += [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run(words + list(options), capture_output=True, text=True, timeout=timeout)
        if out.exists():
            return json.load(open(out)), ""
        return None, (done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}").splitlines()[-1]


def run(accord, machine, model, settings=(), verify=True):
    return call(accord, "run", machine, model, settings, () if verify else ("--no-verify",))


def with_layer(layer, use):
    """use(model) on a network of this layer alone, so that no neighbour of the table hides its beginning or end."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, layer["name"] + ".yaml")
        with open(model, "w") as file:
            write_layers([layer], file)
        return use(model)


def run_layer(accord, machine, layer, settings=(), verify=True):
    return with_layer(layer, lambda model: run(accord, machine, model, settings, verify))


def search_ms(accord, machine, layer, settings=()):
    """Milliseconds from a layer's statements to its mapping: the passes `place`, `interleave`, `layout` and `map`."""
    result, error = with_layer(layer, lambda model: call(accord, "compile", machine, model, settings))
    if result is None:
        return error
    passes = {entry["stage"]: entry["seconds"] for entry in result["wall"]["stages"]}
    return f"{1e3 * (sum(passes[name] for name in ('place', 'interleave', 'layout', 'map'))):.0f}"


def holds(result, verify=True):
    """Verified, no hazard, no broken invariant."""
    return bool((result["verified"] or not verify) and not result["hazards"] and result["invariants"]["hold"])


def matrix_layer(result):
    """The layer with the most MACs: the one that the table's row is about; casts and quantisation stand around it."""
    return max(result["layers"], key=lambda layer: layer["macs"])


def cycles_at(result, cycles, hertz=1_000_000_000):
    """Cycles of another clock that take as long: a covenant's cycles are those of its first clock."""
    return round(cycles * hertz / result["clock_hz"])


def greatest_stalls(layer, most=3):
    """`leaf share` of the layer's greatest stalls, of its own unit where the report tells them apart."""
    leaves = sorted(((cycles, leaf) for leaf, cycles in layer.get("stalls", {}).items() if cycles > 0), reverse=True)
    cycles = max(layer["cycles"], 1)
    return ", ".join(f"{leaf} {100 * count / cycles:.1f}%" for count, leaf in leaves[:most])
