#!/usr/bin/env bash
# bench/sweep_jobs.bash PROGRAM [PAIRS] [JOBS]
#
# How many times faster a sweep is with JOBS (default 2) runs at a time than with one: the same 16 runs both ways, each
# time into an empty store, PAIRS (default 5) times in turn, so that what else the machine does falls on both. Prints the
# ratio of each pair and the median.
set -euo pipefail
program=$1
pairs=${2:-5}
jobs=${3:-2}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/words.toml" <<'SPEC'
task = { name = "keyword", vocab = 50, length = 20 }
model = { name = "gated-classifier", hidden = 64, embedding = 64 }
train = { steps = 150, batch = 32 }
probe = { every = 25, examples = 50, names = ["accuracy", "entropy"] }
sweep = { seed = "0..15" }
SPEC

seconds_with() {
  rm -rf "$work/home"
  local start end
  start=$(date +%s.%N)
  FOVEA_HOME=$work/home "$program" sweep "$work/words.toml" --jobs "$1" --quiet --json >/dev/null
  end=$(date +%s.%N)
  echo "$start $end" | awk '{ printf "%.4f", $2 - $1 }'
}

echo "load: $(cut -d' ' -f1-3 /proc/loadavg), cores: $(nproc)"
for ((pair = 1; pair <= pairs; ++pair)); do
  if ((pair % 2)); then
    one=$(seconds_with 1)
    several=$(seconds_with "$jobs")
  else
    several=$(seconds_with "$jobs")
    one=$(seconds_with 1)
  fi
  echo "$one $several" | awk -v jobs="$jobs" '{ printf "1 job %.2f s, %d jobs %.2f s: %.2f times\n", $1, jobs, $2, $1 / $2 }'
done | tee "$work/pairs"
awk '{ print $(NF-1) }' "$work/pairs" | sort -g | awk '{ x[NR] = $1 } END { m = NR % 2 ? x[(NR+1)/2] : (x[NR/2] + x[NR/2+1]) / 2; printf "median: %.2f times\n", m }'
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
