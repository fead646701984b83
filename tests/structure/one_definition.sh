#!/usr/bin/env bash
# Does every name of a type mean one type? Usage: one_definition.sh SOURCE_DIR
# Headers that define two types of one name in one namespace link to a program that has either.
set -uo pipefail
cd "$1"
twice=$(find archdsl compiler simulator cli -name '*.h' | sort | xargs -r awk '
  FNR == 1 { space = "" }
  /^namespace / { space = $2 }
  /^(struct|class|enum class|enum) [A-Za-z_0-9]+[^;]*\{/ {
    name = $1 == "enum" && $2 == "class" ? $3 : $2
    sub(/[^A-Za-z_0-9].*/, "", name)
    type = space "::" name
    if (type in home && home[type] != FILENAME) print type ": " home[type] ", " FILENAME
    home[type] = FILENAME
  }')
[ -z "$twice" ] && exit 0
echo "$twice"
exit 1
