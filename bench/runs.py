"""One run of `accord run` and what the benches read off its JSON."""
import json
import pathlib
import subprocess
import tempfile

from layer_list import write_layers


def run(accord, machine, model, settings=(), verify=True, timeout=3600):
    """The run's JSON and "", or None and the last line of its complaint."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "run.json")
        command = [accord, "run", "--arch", str(machine), "--model", str(model), "--json", str(out)]
        command += [word for setting in settings for word in ("--set", setting)]
        command += [] if verify else ["--no-verify"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        if out.exists():
            return json.load(open(out)), ""
        return None, (done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}").splitlines()[-1]


def run_layer(accord, machine, layer, settings=(), verify=True):
    """A layer as a network of its own, so that no neighbour of the table hides its beginning or end."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, layer["name"] + ".yaml")
        with open(model, "w") as file:
            write_layers([layer], file)
        return run(accord, machine, model, settings, verify)


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
