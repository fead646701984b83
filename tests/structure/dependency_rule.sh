#!/usr/bin/env bash
# Does any folder include what it must not see? Usage: dependency_rule.sh SOURCE_DIR
# archdsl sees itself only; compiler and simulator see archdsl and never each other; nothing of the three sees cli or bench.
set -uo pipefail
cd "$1"
status=0

# forbid FOLDER INCLUDED...: no file of FOLDER includes a header of INCLUDED.
forbid() {
  local folder=$1
  shift
  local others
  others=$(IFS='|'; echo "$*")
  local hits
  hits=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<]([^\">]*\.\./)?($others)/" "$folder" --include='*.h' --include='*.cpp')
  if [ -n "$hits" ]; then
    echo "$folder must not include $others:"
    echo "$hits"
    status=1
  fi
}

forbid archdsl compiler simulator cli bench tests
forbid compiler simulator cli bench tests
forbid simulator compiler cli bench tests
forbid cli bench tests

# Includes start at the root, so that the rule above sees every one of them.
relative=$(grep -rnE '#[[:space:]]*include[[:space:]]*"(\.\.?/|[^/"]+")' archdsl compiler simulator cli --include='*.h' --include='*.cpp')
if [ -n "$relative" ]; then
  echo "includes must start at the root of the repository:"
  echo "$relative"
  status=1
fi
exit $status
