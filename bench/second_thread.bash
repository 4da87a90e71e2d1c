#!/usr/bin/env bash
# bench/second_thread.bash PROGRAM [PAIRS] [SYSTEM ...]
#
# How many times as many steps a training makes with two threads as with one: PAIRS (default 5) times in turn, so that
# what else the machine does falls on both. Prints the ratio of each pair, and each system's median.
set -euo pipefail
program=${1:?usage: bench/second_thread.bash PROGRAM [PAIRS] [SYSTEM ...]}
pairs=${2:-5}
shift $(($# < 2 ? $# : 2))
systems=("$@")
((${#systems[@]})) || systems=(copying text-classifier translation)

FOVEA_HOME=$(mktemp -d)
export FOVEA_HOME
trap 'rm -rf "$FOVEA_HOME"' EXIT

steps_with() {
  "$program" bench --system "$1" --threads "$2" --seconds 3 --quick --json --quiet |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["systems"][0]["steps_per_second"])'
}

echo "load: $(cut -d' ' -f1-3 /proc/loadavg), cores: $(nproc)"
for system in "${systems[@]}"; do
  for ((pair = 1; pair <= pairs; ++pair)); do
    if ((pair % 2)); then
      one=$(steps_with "$system" 1)
      two=$(steps_with "$system" 2)
    else
      two=$(steps_with "$system" 2)
      one=$(steps_with "$system" 1)
    fi
    echo "$system $one $two" | awk '{ printf "%s: 1 thread %.4g, 2 threads %.4g steps/s: %.2f times\n", $1, $2, $3, $3 / $2 }'
  done | tee "$FOVEA_HOME/pairs"
  awk '{ print $(NF-1) }' "$FOVEA_HOME/pairs" | sort -g | awk -v name="$system" '{ x[NR] = $1 } END { m = NR % 2 ? x[(NR+1)/2] : (x[NR/2] + x[NR/2+1]) / 2; printf "%s, median: %.2f times (%.2f to %.2f)\n", name, m, x[1], x[NR] }'
done
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
