#!/usr/bin/env python3
"""Runs every shipped machine on the standard networks and prints the table of docs/accelerators.md.

    bench/machines.py ACCORD NETWORK=FILE.onnx... [--only MACHINE...]

Columns: docs/figures.md. Exit 1 where a run is not verified, has a hazard or breaks an invariant.
"""
import argparse
import pathlib
import sys

from runs import holds, run

MACHINES = pathlib.Path(__file__).resolve().parent.parent / "configs" / "accelerators"


def row(network, machine, result):
    layers = [layer for layer in result["layers"] if layer["macs"] > 0 and layer["bound_cycles"] > 0]
    macs = sum(layer["macs"] for layer in layers)
    efficiency = sum(layer["macs"] * layer["bound_cycles"] / layer["cycles"] for layer in layers) / macs
    host = sum(1 for layer in result["layers"] if layer["placed_on"] == "host")
    good = holds(result)
    milliseconds = 1e3 * result["total_cycles"] / result["clock_hz"]
    energy = f"{result['energy_pj'] / 1e9:.2f}" if result["energy_pj"] else "not declared"
    return good, (f"| {network} | {machine} | {result['total_cycles']} | {milliseconds:.3f} | {result['bound_cycles']} "
                  f"| {efficiency:.2f} | {energy} | {host} of {len(result['layers'])} | {'yes' if good else 'NO'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("accord")
    parser.add_argument("networks", nargs="+", metavar="NETWORK=FILE")
    parser.add_argument("--only", nargs="*", default=[])
    choice = parser.parse_args()
    print("| network | machine | cycles | ms | bound | efficiency | energy mJ | layers on the host | verified |")
    print("|---|---|---|---|---|---|---|---|---|")
    bad = 0
    for pair in choice.networks:
        network, model = pair.split("=", 1)
        for file in sorted(MACHINES.glob("*.yaml")):
            if choice.only and file.stem not in choice.only:
                continue
            result, error = run(choice.accord, file, model)
            if result is None:
                bad += 1
                print(f"| {network} | {file.stem} | {error} |", flush=True)
                continue
            good, text = row(network, file.stem, result)
            bad += not good
            print(text, flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
