#!/usr/bin/env python3
"""Runs each layer of a table alone, on one or more machines; prints cycles, bound, efficiency and their geometric mean.

    bench/layers14.py ACCORD [--table TABLE.csv] [--on MACHINE...] [--only LAYER...] [--set PARAM=VALUE...] [--no-verify]

A layer runs as a network of its own, so that no neighbour hides its beginning or end: efficiency is the bound over the
run's total cycles. Its quantised input is in memory at the start. Columns: docs/figures.md. Exit 1 where a run is not
verified, has a hazard or breaks an invariant.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from layer_list import read_layers, write_layers

BENCH = pathlib.Path(__file__).resolve().parent


def run(accord, machine, layer, settings, verify):
    """The run's JSON, or the last line of its complaint."""
    with tempfile.TemporaryDirectory() as folder:
        model, out = pathlib.Path(folder, layer["name"] + ".yaml"), pathlib.Path(folder, "run.json")
        with open(model, "w") as file:
            write_layers([layer], file)
        command = [accord, "run", "--arch", machine, "--model", str(model), "--json", str(out)]
        command += [word for setting in settings for word in ("--set", setting)]
        command += [] if verify else ["--no-verify"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
        if not out.exists():
            return None, (done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}").splitlines()[-1]
        return json.load(open(out)), ""


def right(result, verify):
    return (result["verified"] or not verify) and not result["hazards"] and result["invariants"]["hold"]


def figures(result):
    """Placement and cycles of the layer; what the host does around it (quantisation) takes no cycles."""
    layer = max(result["layers"], key=lambda one: one["macs"])
    where = layer["placed_on"] if layer["placed_on"] == "host" else layer["capability"]
    cycles = result["total_cycles"]
    return where, cycles, layer["bound_cycles"], layer["bound_cycles"] / cycles if cycles else 0.0


def bench(machine, layers, choice):
    print(f"\n{machine}\n| layer | on | cycles | bound | efficiency | compile ms |\n|---|---|---|---|---|---|")
    efficiencies, bad = [], 0
    for layer in layers:
        result, error = run(choice.accord, machine, layer, choice.set, choice.verify)
        if result is None:
            bad += 1
            print(f"| {layer['name']} | {error} |", flush=True)
            continue
        where, cycles, bound, efficiency = figures(result)
        good = right(result, choice.verify)
        bad += not good
        efficiencies.append(efficiency)
        print(f"| {layer['name']} | {where} | {cycles} | {bound} | {efficiency:.3f} | "
              f"{1e3 * result['wall']['compile_s']:.0f} |{'' if good else ' NOT VERIFIED'}", flush=True)
    print_mean(efficiencies)
    return bad


def print_mean(efficiencies):
    if efficiencies and min(efficiencies) > 0:
        mean = math.exp(sum(map(math.log, efficiencies)) / len(efficiencies))
        print(f"geometric mean {mean:.3f}, least {min(efficiencies):.3f}, {len(efficiencies)} layers", flush=True)
    else:
        print("no geometric mean: a layer ran on the host, or none ran", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("accord")
    parser.add_argument("--table", default=BENCH / "layers14.csv")
    parser.add_argument("--on", nargs="*", default=["dnnweaver64", "hvx", "gemmini16"], metavar="MACHINE")
    parser.add_argument("--only", nargs="*", default=[], metavar="LAYER")
    parser.add_argument("--set", nargs="*", default=[], metavar="PARAM=VALUE")
    parser.add_argument("--no-verify", dest="verify", action="store_false")
    choice = parser.parse_args()
    layers = [layer for layer in read_layers(choice.table) if not choice.only or layer["name"] in choice.only]
    sys.exit(1 if sum(bench(machine, layers, choice) for machine in choice.on) else 0)


if __name__ == "__main__":
    main()
