#!/usr/bin/env python3
"""Turns a table of layers into the layer list that `accord run --model` reads.

    bench/layer_list.py TABLE.csv [-o LAYERS.yaml] [--only NAME...]

Columns: name, op; conv: n, c, h, w, k, r, s, stride, ph, pw, groups; gemm: m, kk, nn. Lines with # are comments.
"""
import argparse
import csv
import sys

CONV = ("n", "c", "h", "w", "k", "r", "s", "stride", "ph", "pw", "groups")
GEMM = {"m": "m", "k": "kk", "n": "nn"}


def read_rows(path):
    """The table's rows as dicts of text."""
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if line.strip() and not line.startswith("#")))


def layer_of(row):
    """Name, op and the integers of the layer list's keys."""
    columns = {"conv": {key: key for key in CONV}, "gemm": GEMM}.get(row["op"])
    if columns is None:
        raise ValueError(f"layer {row['name']}: op '{row['op']}' is not known; it is conv or gemm")
    return {"name": row["name"], "op": row["op"]} | {key: int(row[column]) for key, column in columns.items()}


def write_layers(layers, file):
    file.write("layers:\n")
    for layer in layers:
        file.write("  - {" + ", ".join(f"{key}: {value}" for key, value in layer.items()) + "}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("-o", "--output", type=argparse.FileType("w"), default=sys.stdout)
    parser.add_argument("--only", nargs="*", default=[])
    choice = parser.parse_args()
    layers = map(layer_of, read_rows(choice.table))
    write_layers([layer for layer in layers if not choice.only or layer["name"] in choice.only], choice.output)


if __name__ == "__main__":
    main()
