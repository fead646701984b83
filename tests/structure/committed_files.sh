#!/usr/bin/env bash
# Is anything committed that belongs to one machine or to a build? Usage: committed_files.sh SOURCE_DIR
# Exit 77 (skipped) outside a git work tree.
set -uo pipefail
cd "$1"
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 77
status=0

built=$(git ls-files | grep -E '(^|/)(build[^/]*|CMakeFiles|_deps)/|\.(o|a|so|elf|gcda|gcno|pyc|vcd)$|(^|/)(CMakeCache\.txt|compile_commands\.json|build\.ninja)$')
if [ -n "$built" ]; then
  echo "build output is committed:"
  echo "$built"
  status=1
fi

# What a command leaves where it is run lands at the top.
stray=$(git ls-files | grep -v / | grep -vxE '\..*|CMakeLists\.txt|CMakePresets\.json|LICENSE|README\.md')
if [ -n "$stray" ]; then
  echo "files at the top that are not the project's:"
  echo "$stray"
  status=1
fi

absolute=$(git grep -nIE '(^|[^[:alnum:]_.<])/(home|root|work|Users|tmp|mnt|workspace)/[[:alnum:]_]' -- . ':!tests/structure')
if [ -n "$absolute" ]; then
  echo "paths of one machine are committed:"
  echo "$absolute"
  status=1
fi
exit $status
