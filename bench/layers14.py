#!/usr/bin/env python3
"""Runs each layer of a table alone, on one or more machines; prints cycles, bound, efficiency and their geometric mean.

    bench/layers14.py ACCORD [--table TABLE.csv] [--on MACHINE...] [--only LAYER...] [--set PARAM=VALUE...] [--no-verify]

Columns: docs/figures.md. Exit 1 where a run is not verified, has a hazard or breaks an invariant.
"""
import argparse
import math
import pathlib
import sys

from layer_list import layer_of, read_rows
from runs import greatest_stalls, holds, matrix_layer, run_layer

BENCH = pathlib.Path(__file__).resolve().parent


def bench(machine, layers, choice):
    print(f"\n{machine}\n| layer | on | cycles | bound | efficiency | compile ms | greatest stalls |")
    print("|---|---|---|---|---|---|---|")
    efficiencies, bad = [], 0
    for layer in layers:
        result, error = run_layer(choice.accord, machine, layer, choice.set, choice.verify)
        if result is None:
            bad += 1
            print(f"| {layer['name']} | {error} |", flush=True)
            continue
        own = matrix_layer(result)
        good = holds(result, choice.verify)
        bad += not good
        efficiencies.append(own["efficiency"])
        print(f"| {layer['name']} | {own['capability'] or own['placed_on']} | {own['cycles']} | {own['bound_cycles']} "
              f"| {own['efficiency']:.3f} | {1e3 * result['wall']['compile_s']:.0f} | {greatest_stalls(own)} "
              f"|{'' if good else ' NOT VERIFIED'}", flush=True)
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
    layers = [layer_of(row) for row in read_rows(choice.table) if not choice.only or row["name"] in choice.only]
    sys.exit(1 if sum(bench(machine, layers, choice) for machine in choice.on) else 0)


if __name__ == "__main__":
    main()
