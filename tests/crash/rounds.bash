#!/usr/bin/env bash
# tests/crash/rounds.bash PROGRAM [ROUNDS] [tiny]
#
# A sweep of 40 short runs is killed (SIGKILL) at a random moment and started again, ROUNDS times (FOVEA_CRASH_ROUNDS, or
# 25). With `tiny`: a sweep of 1000 runs of a millisecond each, which are committed many at a time. After each kill every run that was finished before must still be there, as it was; whenever a sweep comes to its
# end, its store must equal that of a sweep that was never disturbed, every point of every series to the last bit. Then
# the next one begins with an empty store.
set -euo pipefail
program=$1
rounds=${2:-${FOVEA_CRASH_ROUNDS:-25}}
runs=40
if [ "${3:-}" = tiny ]; then runs=1000; fi
RANDOM=${FOVEA_CRASH_SEED:-1}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "crash rounds: round $round: $*" >&2
  exit 1
}

if [ "$runs" -eq 1000 ]; then
  cat >"$work/words.toml" <<'SPEC'
task = { name = "two-sequences" }
model = { name = "toy-gate" }
train = { steps = 20, batch = 2, optimizer = "sgd", rate = 0.015625, precision = "double" }
probe = { every = 1, names = ["toy-flow", "loss"] }
sweep = { seed = "0..999" }
SPEC
else
  cat >"$work/words.toml" <<'SPEC'
task = { name = "keyword", vocab = 20, length = 10 }
model = { name = "gated-classifier", hidden = 16, embedding = 16 }
train = { steps = 2000, batch = 16 }
probe = { every = 100, examples = 40, names = ["accuracy", "entropy", "beta_auc", "attention_on_answer"] }
sweep = { seed = "0..39" }
SPEC
fi
sweep=("$program" sweep "$work/words.toml" --jobs 2 --json --quiet --checkpoint 0.03)

# Every point of every finished run, a line each, without the runs' numbers.
points_of() {
  rm -f "$work/points.csv"
  FOVEA_HOME=$1 "$program" export --where 'state = "done"' --format csv -o "$work/points.csv" 2>"$work/exported" ||
    grep -q 'no run meets the condition' "$work/exported" || fail "the store could not be read: $(cat "$work/exported")"
  if [ ! -e "$work/points.csv" ]; then return 0; fi  # none was finished yet
  cut -d, -f2- "$work/points.csv" | LC_ALL=C sort
}
finished_runs() { cut -d, -f2 "$1" | sort -u | grep -c '^[0-9]' || true; }

round=0
FOVEA_HOME=$work/undisturbed "${sweep[@]}" >/dev/null 2>&1 || fail "the undisturbed sweep did not come to its end"
points_of "$work/undisturbed" >"$work/wanted"
[ "$(finished_runs "$work/wanted")" -eq "$runs" ] || fail "the undisturbed sweep has not $runs runs"

whole() {
  points_of "$home" >"$work/now"
  cmp -s "$work/wanted" "$work/now" || fail "the store is not that of an undisturbed sweep: $(diff "$work/wanted" "$work/now" | head -n 3)"
  local left
  left=$(find "$home/checkpoints" "$home/running" -type f 2>/dev/null || true)
  [ -z "$left" ] || fail "checkpoints or locks of finished runs were left: $left"
}

kills=0 whole_sweeps=0 resumed=0 restarted=0 most_finished=0
home=$work/home-1
: >"$work/before"
for ((round = 1; round <= rounds; ++round)); do
  FOVEA_HOME=$home "${sweep[@]}" >/dev/null 2>"$work/said" &
  child=$!
  sleep "0.$(printf '%03d' $((RANDOM % 900 + 20)))"
  kill -KILL "$child" 2>/dev/null || true
  code=0
  wait "$child" 2>/dev/null || code=$?
  resumed=$((resumed + $(grep -c 'continues from step' "$work/said" || true)))
  restarted=$((restarted + $(grep -c 'before the first checkpoint' "$work/said" || true)))
  if grep -q 'cannot be used' "$work/said"; then fail "a checkpoint was damaged by a kill: $(cat "$work/said")"; fi
  if [ "$code" -eq 0 ]; then  # it had come to its end
    whole
    whole_sweeps=$((whole_sweeps + 1))
    rm -rf "$home"
    home=$work/home-$((round + 1))
    : >"$work/before"
    continue
  fi
  [ "$code" -eq 137 ] || fail "the sweep ended with $code: $(cat "$work/said")"
  kills=$((kills + 1))
  if [ ! -e "$home/runs.db" ]; then continue; fi  # killed before it had a store
  points_of "$home" >"$work/now"
  lost=$(LC_ALL=C comm -23 "$work/before" "$work/now" | head -n 3)
  [ -z "$lost" ] || fail "a finished run was lost or changed: $lost"
  mv "$work/now" "$work/before"
  finished=$(finished_runs "$work/before")
  if [ "$finished" -gt "$most_finished" ]; then most_finished=$finished; fi
done

round=last
FOVEA_HOME=$home "${sweep[@]}" >/dev/null 2>"$work/said" || fail "the last sweep did not come to its end: $(cat "$work/said")"
resumed=$((resumed + $(grep -c 'continues from step' "$work/said" || true)))
whole
whole_sweeps=$((whole_sweeps + 1))
echo "crash rounds: $rounds rounds, $kills kills, $whole_sweeps sweeps of $runs runs came to their end, each the same bits as an undisturbed one;" \
  "$resumed runs went on from a checkpoint, $restarted started at step 0, none that was finished was lost."
