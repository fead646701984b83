"""Reads YAML 1.2 (core schema) as editors do: no dates, no `yes`, no octal, no merge keys."""
import re

import yaml


class CoreLoader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}


for tag, pattern, first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
):
    CoreLoader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))


def integer(loader, node):
    """`010` is ten."""
    text = loader.construct_scalar(node)
    return int(text, 16) if text.startswith("0x") else int(text, 10)


CoreLoader.add_constructor("tag:yaml.org,2002:int", integer)


def load(file):
    with open(file, encoding="utf-8") as stream:
        return yaml.load(stream, CoreLoader)
