#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_clusters.sh LANESCOPE BUILD [OUT]: barriers in shared memory, copies in bulk and clusters on a GPU: programs/cluster_facts.cu must print what the
# device model prints (tests/data/cluster_facts.txt), but for the lines "fact", which tell what PTX leaves open. With OUT, also what counters say of each
# launch: OUT/counters.txt from lanescope, OUT/ncu.csv where there is ncu. 40 s.
program=${1:?lanescope} build=${2:?build folder} out=$3
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
work=${out:-$(mktemp -d)}
tested=$(find "$build" "$build/tests" -maxdepth 1 -name program_cluster_facts 2>/dev/null | head -n 1)
status=0
timeout -k 2 120 "$tested" >"$work/said.txt" || status=1
grep -v '^fact' "$work/said.txt" >"$work/results.txt"
grep -v '^fact' "$here/../data/cluster_facts.txt" | diff - "$work/results.txt" >"$work/different.txt" || status=1
echo "$(wc -l <"$work/results.txt") results, $(grep -c '^>' "$work/different.txt") differ from the model's"
head -n 40 "$work/different.txt"
grep '^fact' "$work/said.txt"
if [ -z "$out" ]; then
    rm -rf "$work"
    exit $status
fi

names() { # PREFIX SUFFIX...: their sums
    for end in "${@:2}"; do
        printf '%s%s.sum,' "$1" "$end"
    done
}
hardware=$(
    for what in t_requests_pipe_lsu t_sectors_pipe_lsu t_output_wavefronts_pipe_lsu m_xbar2l1tex_read_sectors m_l1tex2xbar_write_sectors; do
        names l1tex__${what}_mem_dshared_op_ ld st atom redas
    done
    names l1tex__m_xbar2l1tex_read_sectors_mem_ dshared_op_tma_st dshared_op_tma_red global_op_tma_ld global_op_tma_ld_dest_multicast \
        global_op_tma_ld_dest_self
    names l1tex__m_l1tex2xbar_write_sectors_mem_ dshared_op_tma_st dshared_op_tma_red global_op_tma_st global_op_tma_red
    names l1tex__data_pipe_lsu_wavefronts_mem_shared '' _op_ld _op_st _op_atom _op_misc
    names lts__t_sectors_srcunit_tex_op_ read write red atom
    names lts__t_requests_srcunit_tex_op_ read write red atom
    names l1tex__t_requests_pipe_lsu_mem_global_op_ ld st
    names l1tex__t_sectors_pipe_lsu_mem_global_op_ ld st
    names smsp__inst_executed '' _op_tma_ld _op_tma_st _op_ldsm _pipe_tma _pipe_lsu _pipe_adu
    names sm__inst_executed_pipe_tensor '' _op_hmma _op_imma _op_dmma
    names sm__ops_path_tensor_src_ bf16_dst_fp32 fp16 fp64 fp8 int1 int8 tf32_dst_fp32
)
instrumented=$(
    names smsp__sass_inst_executed_op_ shared_ld shared_st shared_atom ldsm shared_stsm dshared_ld dshared_st dshared_atom dshared_redas dshared_stas \
        dshared_tma_st dshared_tma_red tma_ld tma_st tma_red
    names smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ ld st atom ldsm stsm
    names smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ ldsm stsm
)
for list in hardware instrumented; do
    names=${!list}
    timeout -k 5 250 "$program" --record "$out/$list.lsr" --launches 0 --runs counters --counters "${names%,}" -- "$tested" >"$out/$list.said" 2>&1 ||
        status=1
    tail -n 5 "$out/$list.said"
done
python3 "$here/cluster_counters.py" "$out/hardware.lsr" "$out/instrumented.lsr" >"$out/counters.txt" || status=1
if command -v ncu >/dev/null; then
    names=$hardware$instrumented
    timeout -k 5 250 ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics "${names%,}" "$tested" >"$out/ncu.csv" 2>&1
fi
cat "$out/counters.txt"
exit $status
