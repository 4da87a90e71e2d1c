# What ./run and ./test share: install what is missing, configure, build. Everything it says goes to stderr.

say() { printf 'fovea: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

packages_for_findings=(
  g++ cmake ninja-build pkg-config
  libhwy-dev libboost-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libfmt-dev
  libsqlite3-dev zlib1g-dev libzstd-dev libutf8proc-dev libsentencepiece-dev libcurl4-openssl-dev libarchive-dev
)
# The page is built with these, and its engine. A machine may have Node by other means than Debian's packages. Without them the report is
# a plain document, or the page lacks the views that compute in the browser. A source archive of a release has the page built.
packages_for_page=() packages_for_engine=()
if [ ! -f "$(dirname "${BASH_SOURCE[0]}")/../web/built/index.html" ]; then
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then packages_for_page=(nodejs npm); fi
  packages_for_engine=(emscripten node-acorn)
fi
packages_to_test=(libgtest-dev libbenchmark-dev libdnnl-dev libxml2-utils chromium-headless-shell libopenmpi-dev openmpi-bin)
packages_to_test_python=(python3-dev python3-venv)
packages_for_wheel=(python3-venv)

# What differs between the releases of Debian: the newest clang that each has, and what its sentencepiece is linked with.
debian=$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_ID:-}") || true
case "$debian" in
  12) clang=14 ;;
  *) clang=19; packages_for_findings+=(libprotobuf-dev) ;;
esac
packages_to_run=("${packages_for_findings[@]}" libcairo2-dev fonts-dejavu-core)
packages_to_test_all=("clang-$clang" "libclang-rt-$clang-dev" "lld-$clang" firefox-esr)

# can_install: whether need_packages can install what is missing.
can_install() { command -v dpkg-query >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }; }

# need_packages NAME…: installs those that are missing; asks nothing of the network when none is.
need_packages() {
  local missing=() name
  [ $# -gt 0 ] || return 0
  command -v dpkg-query >/dev/null ||
    fail "this script installs Debian packages, and this is not Debian. Install these libraries by your own means, then use cmake --preset release: $*"
  local have
  have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | awk '$2 == "installed" { print $1 }') || true
  for name in "$@"; do
    grep -qxF "$name" <<<"$have" || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local admin=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing: ${missing[*]}. Ask an administrator to run: apt-get install ${missing[*]}"
    admin=(sudo)
  fi
  say "installing ${missing[*]}"
  local log install=("${admin[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
  log=$(mktemp)
  # New lists of packages are fetched only if these cannot be installed from the present lists.
  if ! "${install[@]}" >"$log" 2>&1 && ! { "${admin[@]}" apt-get update -q && "${install[@]}"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "these packages could not be installed: ${missing[*]}. Check the network, then try again, or run: apt-get install ${missing[*]} (the whole log: $log)"
  fi
  rm -f "$log"
}

# want_packages WITHOUT NAME…: the same, but goes on where they cannot be had, and says what is to be done WITHOUT.
want_packages() {
  local without=$1
  shift
  (need_packages "$@") || say "going on $without"
}

# What the tests of the Python package need: enough to build and check it and to run the examples of its documents, and with
# --all the others that it meets. PyTorch is gigabytes: its tests run where somebody has put it there
# (build/python/bin/pip install torch).
python_to_test=(scikit-build-core pybind11 numpy tqdm pytest pytest-xdist mypy matplotlib pandas scikit-learn)
python_to_test_all=(safetensors tensorboard nbformat nbclient ipykernel)

# What scripts/format and scripts/lint run, pinned: every release of a formatter writes some lines in its own way.
format_tools=(clang-format==18.1.8 clang-tidy==18.1.8 ruff==0.17.6 mypy==2.4.1 numpy)

# What scripts/site builds the documentation with.
site_tools=(mkdocs==1.6.1 mkdocs-material==9.8.2)

# need_format_tools: those in build/tools, and the page's own in web/node_modules.
need_format_tools() {
  need_packages "${packages_to_test_python[@]}"
  need_python build/tools "${format_tools[@]}" || fail "the format and lint tools could not be installed; the reason is above"
  [ -x web/node_modules/.bin/biome ] || (cd web && npm ci --no-progress --loglevel=error) >&2 ||
    fail "npm could not install what the page is built with; the reason is above"
}

# need_python FOLDER PACKAGE…: a virtual environment that has them, of the interpreter that python=… in front of it names; false, and
# says why, where they cannot be had.
need_python() {
  local folder=$1 wanted missing=()
  shift
  for wanted in "$@"; do
    grep -qxF "$wanted" "$folder/.has" 2>/dev/null || missing+=("$wanted")
  done
  if [ ${#missing[@]} -eq 0 ]; then return 0; fi
  say "installing ${missing[*]} into $folder"
  mkdir -p "$(dirname "$folder")"
  if { [ -x "$folder/bin/pip" ] || "${python:-python3}" -m venv "$folder"; } >"$folder.log" 2>&1 &&
    "$folder/bin/pip" install -q --no-compile "${missing[@]}" >>"$folder.log" 2>&1; then
    printf '%s\n' "${missing[@]}" >>"$folder/.has"
    return 0
  fi
  tail -n 5 "$folder.log" >&2
  say "pip could not install ${missing[*]} (the whole log: $folder.log)"
  return 1
}

# install_python FOLDER BUILD: `pip install .` into that environment, with the library that BUILD has compiled already.
install_python() {
  cmake --install "$2" --prefix "$2/installed" >"$2/python-install.log" 2>&1 &&
    "$1/bin/pip" install -q --no-build-isolation --no-deps --force-reinstall . --config-settings=build-dir="$2/python-build" \
      --config-settings=cmake.source-dir=python --config-settings=cmake.define.FOVEA_WERROR=ON \
      --config-settings=cmake.define.fovea_DIR="$PWD/$2/installed/lib/cmake/fovea" \
      --config-settings=cmake.define.FOVEA_PROGRAM_OBJECTS="$PWD/$2/program_objects.txt" \
      >>"$2/python-install.log" 2>&1 ||
    { tail -n 40 "$2/python-install.log" >&2; fail "the Python package could not be installed; why stands above"; }
}

# need_readers FOLDER: a Python with the programs that read what `fovea export` writes, for the tests that use them. They
# are told where it is, or why there is none: without them everything else is tested all the same.
readers_to_test=(numpy pandas safetensors tensorboard)
need_readers() {
  if need_python "$1" "${readers_to_test[@]}"; then
    export FOVEA_TEST_PYTHON=$1/bin/python
  else
    export FOVEA_NO_TEST_PYTHON="PyPI could not be reached, or did not have them (see $1.log)"
    say "tests with the readers of exported files are skipped: $FOVEA_NO_TEST_PYTHON"
  fi
}

# build_preset NAME FOLDER [CMAKE WORDS…]: configures where these words are new to the folder (what it was configured with before
# stays), then builds what changed; quiet unless something is to be done. only_target=NAME in front of it builds that alone.
build_preset() {
  mkdir -p "$2"
  (
    flock -n 9 || { say "waiting for another build in $2"; flock 9; }
    build_preset_alone "$@"
  ) 9>"$2/.lock"
}

build_preset_alone() {
  local preset=$1 folder=$2 target=${only_target:-all} word new=false
  shift 2
  for word in "$preset" "$@"; do
    grep -qxF -e "$word" "$folder/.configured" 2>/dev/null || new=true
  done
  # The findings were built here before Cairo was installed.
  [ "$target" = first_program ] || grep -qxF CAIRO_FOUND:INTERNAL=1 "$folder/CMakeCache.txt" 2>/dev/null || new=true
  if $new || [ ! -f "$folder/build.ninja" ]; then
    say "configuring $folder"
    cmake --preset "$preset" -B "$folder" "$@" >"$folder.log" 2>&1 || { cat "$folder.log" >&2; fail "cmake could not configure $folder; what it said stands above"; }
    mv "$folder.log" "$folder/configure.log"
    printf '%s\n' "$preset" "$@" >>"$folder/.configured"
  fi
  if is_built "$folder" "$target"; then return 0; fi
  say "building $folder"
  trap 'say "the build in $folder was stopped. The same command continues."; exit 130' INT
  if ! build_with_progress "$folder" "$target"; then
    tail -n 60 "$folder/build.log" >&2
    fail "$folder did not build; the compiler's words stand above, and all of them in $folder/build.log"
  fi
}

# is_built FOLDER TARGET: whether no step is left for it. New files are looked for first.
is_built() {
  [ -f "$1/build.ninja" ] || return 1
  ninja -C "$1" build.ninja >/dev/null 2>&1 || true  # the build shows what is wrong
  [ -z "$(steps_left "$1" "$2" | grep -v -e '^ninja: no work' -e 'Entering')" ]
}

# steps_left FOLDER TARGET: the steps that ninja would run. A dry run of build.ninja itself ends at its check for new files; a copy under
# another name has no such check.
steps_left() {
  cp "$1/build.ninja" "$1/steps.ninja"
  ninja -C "$1" -f steps.ninja -n "$2" 2>&1
}

# build_with_progress FOLDER TARGET: shows what was built last, how much is done, and how long is left: on a terminal one line, elsewhere
# a plain line every 20 seconds. cmake/build_seconds.txt has the tenths of a second that an object takes, some of them estimated.
build_with_progress() {
  local folder=$1 target=$2 line object tenths total=0 done=0 last='' left=0 rest text shown=$SECONDS at=$SECONDS start=$SECONDS
  local -A cost=()
  while read -r object tenths; do cost[$object]=$tenths; done <cmake/build_seconds.txt
  while IFS= read -r line; do
    if [[ $line == \[* ]]; then total=$((total + ${cost[${line##* }]:-5})); fi
  done < <(steps_left "$folder" "$target")
  # One compiler more than there are cores takes 3 % more time, and memory of its own. nproc would obey OMP_NUM_THREADS.
  ninja -C "$folder" -j "$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)" "$target" 2>&1 | tee "$folder/build.log" | {
    while :; do
      if IFS= read -r -t 1 line; then
        [[ $line == \[* ]] || continue
        done=$((done + ${cost[${line##* }]:-5})) last=${line#*] } at=$SECONDS
        if [[ $last == *CMakeFiles/*.dir/* ]]; then
          last=${last#*CMakeFiles/} last=${last%%.dir/*} last=${last#fovea_room_} last=${last//_//}
        fi
        # The pace is that of the table at first, and what is measured here the more of it is done.
        left=$(((total - done) * (at - start + 60 / $(nproc)) / (done + 600)))
      elif [ $? -le 128 ]; then
        break
      fi
      if [ "$done" -eq 0 ]; then continue; fi
      rest=$((left - SECONDS + at))
      text="building: $((done < total ? 100 * done / total : 99)) %, $(duration_text $((rest > 1 ? rest : 1))) left ($last)"
      if [ -t 2 ]; then
        printf '\r\033[Kfovea: %s' "${text:0:70}" >&2
      elif [ $((SECONDS - shown)) -ge 20 ]; then
        say "$text"
        shown=$SECONDS
      fi
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
  }
}

duration_text() { if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi; }
