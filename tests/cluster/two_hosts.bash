#!/bin/bash
# A sweep over ranks of two machines: two network namespaces with names of their own, a wire between them, and MPI that
# has nothing but TCP. The store must end as the one of a single process does, bit for bit.
#
#   two_hosts.bash FOVEA [SEEDS]     needs root, unshare, nsenter, ip and mpirun; ends with 77 where one is missing
set -euo pipefail

program=$(realpath "$1")
seeds=${2:-0..8}

skip() {
  echo "skipped: $*"
  exit 77
}
for tool in ip unshare nsenter mpirun; do command -v "$tool" >/dev/null || skip "there is no $tool"; done
unshare --net --uts true 2>/dev/null || skip "namespaces cannot be made here"

folder=$(mktemp -d)
hosts=()
cleanup() {
  for host in "${hosts[@]}"; do kill "$host" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap cleanup EXIT

# Each namespace lives as long as a process in it.
for i in 0 1; do
  unshare --net --uts sleep 300 &
  hosts+=($!)
done
inside() { nsenter --net --uts --target "${hosts[$1]}" -- "${@:2}"; }
for host in "${hosts[@]}"; do
  while kill -0 "$host" 2>/dev/null && [ "$(readlink "/proc/$host/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do
    sleep 0.01
  done
done
ip link add fovea-wire netns "${hosts[0]}" type veth peer name fovea-wire netns "${hosts[1]}" 2>/dev/null ||
  skip "no wire can be laid between namespaces here"
for i in 0 1; do
  inside $i hostname "fovea-host-$i"
  inside $i ip address add "10.83.0.$((i + 1))/24" dev fovea-wire
  inside $i ip link set fovea-wire up
  inside $i ip link set lo up
done

cat >"$folder/reach" <<END
#!/bin/bash
# What ssh does elsewhere: HOST COMMAND...
shift
exec nsenter --net --uts --target ${hosts[1]} -- bash -c "\$*"
END
chmod +x "$folder/reach"

cat >"$folder/words.toml" <<'END'
task = { name = "keyword", vocab = 12, length = 6 }
model = { name = "gated-classifier", hidden = 8, embedding = 8 }
train = { steps = 50, batch = 16 }
probe = { every = 1, examples = 20, names = ["accuracy", "entropy"] }
END

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
FOVEA_HOME=$folder/one "$program" sweep "$folder/words.toml" --seeds "$seeds" --quiet >/dev/null
FOVEA_HOME=$folder/two inside 0 mpirun --host 10.83.0.1:1,10.83.0.2:2 -n 3 \
  --mca plm_rsh_agent "$folder/reach" --mca btl self,tcp --mca btl_tcp_if_include fovea-wire \
  --mca oob_tcp_if_include fovea-wire -x FOVEA_HOME -x PATH \
  bash -c 'echo "rank $OMPI_COMM_WORLD_RANK is on $(hostname)" >&2; exec "$@"' fovea \
  "$program" sweep "$folder/words.toml" --seeds "$seeds" --quiet

# A line a point; without the runs' ids, which stand in the order of their ends.
for store in one two; do
  FOVEA_HOME=$folder/$store "$program" export --all -o "$folder/$store.csv" >/dev/null
  cut -d, -f2- "$folder/$store.csv" | sort > "$folder/$store.points"
done
cmp "$folder/one.points" "$folder/two.points"
echo "$(wc -l < "$folder/one.points") lines of series, the same bit for bit"
