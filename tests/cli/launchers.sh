#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real launchers start the ranks of a job, each recorded by itself: Open MPI, MPICH and Slurm (a controller and two daemons of its
# own on this machine), as far as they are installed (Debian: openmpi-bin mpich slurmctld slurmd munge). Of each: every rank has
# its file, the job has every rank once, and report, view and export open it. Without any of them: skipped.
#   launchers.sh LANESCOPE
set -eu
lanescope=$1
work=$(mktemp -d)
pids=
end() {
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    # shellcheck disable=SC2086
    [ -z "$pids" ] || wait $pids || true
    rm -rf "$work"
}
trap end EXIT
cd "$work"
tried=0

# check NAME RANKS: of the files NAME-RANK.lsr.
check() {
    "$lanescope" gather "$1"-*.lsr --out "$1.lsj"
    "$lanescope" report "$1.lsj" --table ranks --format csv --fields rank,file >"$1.csv"
    python3 - "$1" "$2" <<'PYTHON'
import csv, sys
name, ranks = sys.argv[1], int(sys.argv[2])
rows = list(csv.DictReader(open(name + ".csv", newline="")))
found = sorted({int(row["rank"]) for row in rows})
assert found == list(range(ranks)), (name, found)
for row in rows:
    assert row["file"].endswith("%s-%s.lsr" % (name, row["rank"])), row
PYTHON
    "$lanescope" report "$1.lsj" | grep -q "ranks, 1 clock"
    "$lanescope" view "$1.lsj" --snapshot text --size 100x30 | grep -q "rank $(($2 - 1))"
    "$lanescope" export "$1.lsj" --tables "$1-tables"
    test "$(wc -l <"$1-tables/ranks.csv")" -gt "$2"
    echo "$1: $2 ranks recorded, gathered and opened"
    tried=$((tried + 1))
}

run="--device simt transpose"
if command -v mpirun.openmpi >/dev/null; then
    # shellcheck disable=SC2086
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe -np 4 \
        "$lanescope" --record openmpi-%r.lsr $run >openmpi.out
    check openmpi 4
fi
if command -v mpiexec.hydra >/dev/null; then
    # shellcheck disable=SC2086
    mpiexec.hydra -np 4 "$lanescope" --record mpich-%r.lsr $run >mpich.out
    check mpich 4
fi

# Daemons of our own: another user's key, ports and folders are left alone.
slurm() {
    mkdir munge state spool1 spool2
    chmod 700 munge
    head -c 1024 /dev/urandom >munge/key
    chmod 400 munge/key
    munged --force --foreground --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
        --log-file="$work/munge/log" --seed-file="$work/munge/seed" >/dev/null 2>&1 &
    pids="$pids $!"
    port=$((20000 + $$ % 20000))
    cat >slurm.conf <<CONF
ClusterName=lanescope
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=$work/state
SlurmctldPidFile=$work/state/pid
SlurmdPidFile=$work/%n.pid
SlurmdSpoolDir=$work/spool-%n
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/%n.log
NodeName=one NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 State=UNKNOWN
NodeName=two NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 State=UNKNOWN
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
CONF
    SLURM_CONF=$work/slurm.conf
    export SLURM_CONF
    until [ -S munge/socket ]; do sleep 0.1; done
    slurmctld -D -i >ctld.out 2>&1 &
    pids="$pids $!"
    for node in one two; do
        mkdir -p "spool-$node"
        slurmd -D -N "$node" >"slurmd-$node.out" 2>&1 &
        pids="$pids $!"
    done
    tries=0
    until [ "$(sinfo -h -t idle -o %D 2>/dev/null | head -1)" = 2 ]; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ]; then
            sinfo || true
            tail -5 ./*.log ./*.out || true
            return 1
        fi
        sleep 0.2
    done
    # shellcheck disable=SC2086
    srun -N 2 -n 4 --chdir "$work" "$lanescope" --record slurm-%r.lsr $run >slurm.out
    check slurm 4
    # Each node gathers its own ranks: the job is the same.
    # shellcheck disable=SC2016
    srun -N 2 -n 2 --chdir "$work" sh -c 'first=$((SLURM_PROCID * 2)) &&
        "$0" gather "slurm-$first.lsr" "slurm-$((first + 1)).lsr" --out "node-$SLURM_PROCID.lsj"' "$lanescope" >>slurm.out
    "$lanescope" gather node-*.lsj --out tree.lsj
    cmp tree.lsj slurm.lsj
}
if command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null; then
    slurm
fi
if [ $tried -eq 0 ]; then
    echo "skipped: no launcher is installed (Open MPI, MPICH, Slurm)"
    exit 77
fi
