#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The steps of action.yml, whose inputs are in the environment:
#   action.sh install   pip installs LANESCOPE_PACKAGE with CUDA's compiler into a folder of the job, for this step and those after it
#   action.sh run       the command LANESCOPE_RUN on the device model, checked, then compared with the counts in LANESCOPE_GATE
# What is found stands at its source line in the pull request (annotations), and on the summary of the job.
set -eu
folder=${RUNNER_TEMP:-/tmp}/lanescope
summary=${GITHUB_STEP_SUMMARY:-/dev/null}

# In the layout that nvcc and CMake look for; pip's has no lib64 and no name without a version.
link_toolkit() {
    [ -e "$1/lib64" ] || ln -s lib "$1/lib64"
    for library in "$1"/lib/*.so.*; do
        [ -e "${library%.so.*}.so" ] || ln -s "$(basename "$library")" "${library%.so.*}.so"
    done
    chmod +x "$1"/bin/* "$1"/nvvm/bin/* 2>/dev/null || true
}

install() {
    python3 -m venv "$folder"
    # Intended splitting: several packages may be named, as nvidia-cublas to link with.
    # shellcheck disable=SC2086
    "$folder/bin/pip" install --quiet --disable-pip-version-check $LANESCOPE_PACKAGE
    echo "$folder/bin" >>"$GITHUB_PATH"
    for toolkit in "$folder"/lib/python3*/site-packages/nvidia/cu[0-9]*; do
        [ -x "$toolkit/bin/nvcc" ] || [ -f "$toolkit/bin/nvcc" ] || continue
        link_toolkit "$toolkit"
        echo "$toolkit/bin" >>"$GITHUB_PATH"
        echo "CUDA_HOME=$toolkit" >>"$GITHUB_ENV"
        echo "CUDACXX=$toolkit/bin/nvcc" >>"$GITHUB_ENV"
    done
    "$folder/bin/lanescope" --version
}

# run_checked: the command's own status, or 1 where something was found.
run_checked() {
    recording=${RUNNER_TEMP:-/tmp}/lanescope.lsr
    rm -f "$recording"
    set -- --device simt --record "$recording"
    [ "${LANESCOPE_CHECK:-true}" != true ] || set -- "$@" --check
    [ -z "${LANESCOPE_SUPPRESS:-}" ] || set -- "$@" --suppress "$LANESCOPE_SUPPRESS"
    status=0
    # Intended splitting: options are words.
    # shellcheck disable=SC2086
    lanescope "$@" ${LANESCOPE_OPTIONS:-} -- bash -c "$LANESCOPE_RUN" || status=$?
    [ -f "$recording" ] || return "$status"
    lanescope report "$recording" --table checks --format github
    [ "$(lanescope report "$recording" --table kernels --format csv | wc -l)" -gt 1 ] ||
        echo "::warning::$LANESCOPE_RUN launched no kernel: nothing was tested on the device model. Does it skip its tests where it finds no GPU?"
    {
        echo '### lanescope: on the device model, without a GPU'
        echo '```'
        lanescope report "$recording" --no-color
        echo '```'
    } >>"$summary"
    echo "recording=$recording" >>"${GITHUB_OUTPUT:-/dev/null}"
    return "$status"
}

run_gate() {
    [ -n "${LANESCOPE_GATE:-}" ] || return 0
    [ -f "$LANESCOPE_GATE" ] || echo "::warning::$LANESCOPE_GATE is not in the repository: nothing is compared. Run lanescope gate $LANESCOPE_GATE -- ... and commit it."
    part=${RUNNER_TEMP:-/tmp}/lanescope-gate.md
    status=0
    # shellcheck disable=SC2086
    lanescope gate "$LANESCOPE_GATE" --markdown "$part" ${LANESCOPE_OPTIONS:-} -- bash -c "$LANESCOPE_RUN" || status=$?
    [ ! -f "$part" ] || cat "$part" >>"$summary"
    return "$status"
}

case ${1:-} in
install) install ;;
run)
    first=0
    second=0
    run_checked || first=$?
    run_gate || second=$?
    [ "$first" -ne 0 ] || exit "$second"
    exit "$first"
    ;;
*)
    echo 'usage: action.sh install|run, by action.yml' >&2
    exit 2
    ;;
esac
