# SPDX-License-Identifier: Apache-2.0
# samples.py bursts|steady|watch RECORDING: holds what a recording has of counters over time against what the GPU did. Prints a table and, for each thing
# that is not as it should be, a line with WRONG; exit status 1 then.
import sqlite3
import struct
import sys

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
ACTIVE = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"

# Kernels whose warps wait for banks, and their padded twins: run and kernel as in the recording.
HIGH = {("transpose:tile", "transpose_tile"), ("bank-stride:32-bit,stride=32", "bank_stride_32")}
LOW = {
    ("transpose:pad", "transpose_pad"),
    ("transpose:swizzle", "transpose_swizzle"),
    ("bank-stride:32-bit,stride=1", "bank_stride_32"),
    ("bank-stride:32-bit,stride=33", "bank_stride_32"),
}

wrong = 0


def check(good, what):
    global wrong
    if not good:
        wrong += 1
        print("WRONG:", what)


class Sampling:
    """The samples of one sampling in order of time: start, duration, {name: number or None}."""

    def __init__(self, base, number):
        self.series = base.execute(
            "SELECT s.id, t.text, s.place, s.interval_ns, s.flags FROM series s JOIN string t ON t.id = s.name "
            "WHERE s.sampling = ? ORDER BY s.place",
            (number,),
        ).fetchall()
        self.interval_ns, self.bursts = self.series[0][3], self.series[0][4] & 1
        self.samples = []
        for row, count, start_ns, end_ns, times in base.execute(
            "SELECT id, count, start_ns, end_ns, times FROM sample_time WHERE sampling = ? ORDER BY id", (number,)
        ).fetchall():
            if times is None:
                step = (end_ns - start_ns) / count
                pairs = [(round(i * step), round((i + 1) * step) - round(i * step)) for i in range(count)]
            else:
                pairs = list(struct.iter_unpack("<II", times))
            columns = {}
            for series, name, place, _, _ in self.series:
                number_, numbers = base.execute("SELECT number, numbers FROM sample WHERE id = ?", (64 * row + place,)).fetchone()
                columns[name] = [number_] * count if numbers is None else [v for (v,) in struct.iter_unpack("<f", numbers)]
            for i, (offset, duration) in enumerate(pairs):
                numbers = {n: v[i] if v[i] is not None and v[i] == v[i] else None for n, v in columns.items()}
                self.samples.append((start_ns + offset, duration, numbers))

    def inside(self, start_ns, end_ns):
        return [s for s in self.samples if s[0] >= start_ns and s[0] + s[1] <= end_ns]


def samplings(base):
    numbers = [n for (n,) in base.execute("SELECT DISTINCT sampling FROM series ORDER BY 1")]
    return [Sampling(base, n) for n in numbers]


def launches(base):
    """run ("transpose:tile"), kernel, grid, start, end of each launch of a traced workload."""
    return base.execute(
        "SELECT w.text || ':' || v.text || CASE WHEN p.text LIKE 'stride=%' THEN ',' || substr(p.text, 1, instr(p.text || ',', ',') - 1) ELSE '' END, "
        "n.text, sh.grid_x || 'x' || sh.grid_y, l.start_ns, l.start_ns + l.duration_ns "
        "FROM launch l JOIN kernel k ON k.id = l.kernel JOIN shape sh ON sh.id = k.shape JOIN string n ON n.id = sh.name "
        "JOIN run r ON r.id = k.run JOIN string w ON w.id = r.workload JOIN string v ON v.id = r.variant "
        "LEFT JOIN string p ON p.id = r.params WHERE r.mode = 0 ORDER BY l.start_ns"
    ).fetchall()


def mean(samples, name):
    known = [(s[2][name], s[1]) for s in samples if s[2].get(name) is not None]
    time = sum(d for _, d in known)
    return sum(v * d for v, d in known) / time if time else None


def bursts(base):
    all_ = [s for s in samplings(base) if s.bursts]
    check(all_, "no bursts were recorded")
    if not all_:
        return
    sampling, seen, high, low = all_[0], {}, 0, 0
    check(sampling.interval_ns == 10000, f"the interval is {sampling.interval_ns} ns")
    lengths = sorted(d for _, d, _ in sampling.samples)
    check(lengths and 9000 <= lengths[0] and lengths[-1] <= 11000, f"samples of {lengths[:1]} to {lengths[-1:]} ns at 10 us")
    starts = [i for i, s in enumerate(sampling.samples) if i == 0 or s[0] > sampling.samples[i - 1][0] + 30000]
    for run, kernel, grid, start_ns, end_ns in launches(base):
        inside = sampling.inside(start_ns, end_ns)
        known = seen.setdefault((run, kernel, grid), [0, 0, 0, 0, 0])
        known[0] += 1
        if not inside:
            continue
        waves, conflicts = (sum(s[2][n] or 0 for s in inside) for n in (WAVEFRONTS, CONFLICTS))
        known[1] += 1
        known[2] += len(inside)
        known[3] += waves
        known[4] += conflicts
    print(f"{len(starts)} bursts of {len(sampling.samples)} samples in all, {lengths[0]} to {lengths[-1]} ns each")
    print(f"{'run':34} {'kernel':20} {'grid':>10} launches sampled samples  wavefronts/us conflicts/wavefront")
    for (run, kernel, grid), (count, sampled, samples, waves, conflicts) in seen.items():
        ratio = conflicts / waves if waves else 0
        print(f"{run:34} {kernel:20} {grid:>10} {count:8} {sampled:7} {samples:7} {waves / max(samples, 1) / 10:14.0f} {ratio:10.4f}")
        check(sampled or (run, kernel) not in HIGH | LOW, f"{run} {kernel}: no burst has a sample inside it")
        if sampled and (run, kernel) in HIGH:
            high += 1
            check(ratio > 0.6, f"{run} {kernel}: {ratio:.3f} conflicts a wavefront, and it must be high")
        if sampled and (run, kernel) in LOW:
            low += 1
            check(ratio < 0.15 and waves > 0, f"{run} {kernel}: {ratio:.3f} conflicts a wavefront, and it must be near zero")
    check(high >= 2 and low >= 2, f"{high} conflict kernels and {low} twins were sampled")
    outside = [s for s in sampling.samples if not any(a < s[0] + s[1] and s[0] < b for _, _, _, a, b in launches(base))]
    idle = sum(s[2][WAVEFRONTS] or 0 for s in outside)
    print(f"outside of kernels: {len(outside)} samples, {idle:.0f} wavefronts")
    check(idle == 0 or idle < 1e-3 * sum(s[2][WAVEFRONTS] or 0 for s in sampling.samples), "wavefronts where no kernel ran: the clocks differ")


def steady(base, interval_ns):
    all_ = samplings(base)
    check(len(all_) == 1 and not all_[0].bursts, f"{len(all_)} samplings")
    for sampling in all_[:1]:
        samples = sampling.samples
        span = (samples[-1][0] - samples[0][0]) / 1e9
        gaps = sum(1 for a, b in zip(samples, samples[1:]) if b[0] > a[0] + a[1] + sampling.interval_ns // 2)
        print(f"{len(samples)} samples in {span:.3f} s, asked for {sampling.interval_ns} ns, {gaps} gaps")
        check(sampling.interval_ns == interval_ns, f"the interval is {sampling.interval_ns} ns")
        check(abs(len(samples) * sampling.interval_ns / 1e9 - span) < 0.05 * span + 0.01, "samples are missing")
        for _, name, _, _, _ in sampling.series:
            known = [s[2][name] for s in samples if s[2][name] is not None]
            print(f"  {name:75} {len(known):6} mean {mean(samples, name) or 0:14.4f} most {max(known, default=0):14.4f}")
        check(len(sampling.series) == 10, f"{len(sampling.series)} series")
    for row in base.execute("SELECT text FROM notices"):
        print("  notice:", *row)
    return all_[0] if all_ else None


def main():
    base = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
    if sys.argv[1] == "bursts":
        bursts(base)
    else:
        sampling = steady(base, int(sys.argv[3]) if len(sys.argv) > 3 else 1000000)
        if sys.argv[1] == "watch" and sampling:
            busy = mean(sampling.samples, ACTIVE) or 0
            check(busy > 5, f"the program kept the SMs busy {busy:.1f} % of the time, and it does matrix products")
            check(base.execute("SELECT count(*) FROM launch").fetchone()[0] == 0, "watching traces nothing")
    for row in base.execute("SELECT text FROM notices") if sys.argv[1] == "bursts" else []:
        print("  notice:", *row)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
