#!/usr/bin/env bash
# Would the rules notice a violation? Usage: rules_catch_violations.sh SOURCE_DIR
set -uo pipefail
rules=$1/tests/structure
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" && git init -q . && mkdir archdsl compiler simulator cli
status=0

# rejects RULE FILE TEXT: with that file in the tree the rule fails, without it it holds.
rejects() {
  mkdir -p "$(dirname "$2")"
  printf '%s\n' "$3" >"$2"
  git add -A
  if "$rules/$1.sh" "$tree" >/dev/null; then
    echo "$1 accepts $2: $3"
    status=1
  fi
  rm "$2"
  git add -A
  if ! "$rules/$1.sh" "$tree"; then
    echo "$1 fails on a tree without violations"
    status=1
  fi
}

rejects dependency_rule archdsl/graph/a.cpp '#include "compiler/compile.h"'
rejects dependency_rule archdsl/a.h '#include "simulator/simulate.h"'
rejects dependency_rule compiler/a.cpp '  #  include "simulator/simulate.h"'
rejects dependency_rule compiler/a.h '#include "cli/report.h"'
rejects dependency_rule simulator/modules/a.cpp '#include <compiler/network/network.h>'
rejects dependency_rule simulator/a.cpp '#include "../compiler/compile.h"'
rejects dependency_rule compiler/mapping/a.cpp '#include "a.h"'
printf 'namespace accord {\nstruct Known {\n' >archdsl/known.h
rejects one_definition cli/a.h $'namespace accord {\nenum class Known {'
rejects committed_files build/a.txt 'text'
rejects committed_files tests/a.o 'text'
rejects committed_files out.txt 'text'
rejects committed_files docs/a.md "see /home/somebody/notes"
exit $status
