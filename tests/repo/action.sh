#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# action.sh ROOT LANESCOPE NVCC: what the step of action.yml that runs a program says and returns: of a good one, with a file of
# counts and with others; and of one with a finding, which stands as an annotation. pytest's plug-in is Python that compiles.
set -eu
root=$1 lanescope=$2 nvcc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$lanescope" "$scratch/bin/lanescope"
export PATH="$scratch/bin:$PATH" RUNNER_TEMP="$scratch" GITHUB_STEP_SUMMARY="$scratch/summary" GITHUB_OUTPUT="$scratch/output" HOME="$scratch"
failures=0

objects() {
    echo "$*"
    cat "$scratch/said"
    failures=$((failures + 1))
}

# step WANTED: its status, and what it said.
step() {
    : >"$GITHUB_STEP_SUMMARY"
    status=0
    sh "$root/packaging/action.sh" run >"$scratch/said" 2>&1 || status=$?
    [ "$status" -eq "$1" ] || objects "the step ends with status $status and not $1"
}

cat >"$scratch/sum.cu" <<'END'
__global__ void scale(float *x, int stride) { x[threadIdx.x * stride] *= 2; }
int main(int argc, char **argv)
{
    float *x;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    scale<<<1, 32>>>(x, argc > 1 ? 128 : argc);
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(x);
    return error != cudaSuccess;
}
END
"$nvcc" -lineinfo -o "$scratch/sum" "$scratch/sum.cu"
"$nvcc" -lineinfo -ptx -o "$scratch/sum.ptx" "$scratch/sum.cu"
export LANESCOPE_PTX="$scratch/sum.ptx" # no cuobjdump is needed
cd "$scratch"
export LANESCOPE_RUN=./sum
step 0
grep -q 'on the device model' "$GITHUB_STEP_SUMMARY" || objects 'the summary has no report'
grep -q "^recording=$scratch/lanescope.lsr" "$GITHUB_OUTPUT" || objects 'the recording is not named'
export LANESCOPE_GATE=counts.txt
step 0
grep -q '^::warning::counts.txt' said || objects 'a missing file of counts is not named'
step 0
! grep -q '^::warning' said || objects 'the file of counts is there'
sed -i 's/launches 1/launches 2/' counts.txt
step 1
grep -q 'launches' "$GITHUB_STEP_SUMMARY" || objects 'the summary does not say which counts differ'
unset LANESCOPE_GATE
LANESCOPE_RUN=true
step 0
grep -q '^::warning::true launched no kernel' said || objects 'that nothing was tested is not said'
LANESCOPE_RUN='./sum far'
step 1
grep -q '^::error .*sum.cu,line=1' said || objects 'the finding is no annotation'
python3 -m py_compile "$root/packaging/pytest_lanescope.py"
rm -rf "$root/packaging/__pycache__"
[ "$failures" -eq 0 ]
