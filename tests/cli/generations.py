#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generations.py LANESCOPE: one workload on every modelled GPU: each of them has a row, from the oldest on; what must hold on all of them; what
does not run says why; the latencies are those that are known of the GPUs."""
import json
import subprocess
import sys

LANESCOPE = sys.argv[1]


def rows(*words):
    done = subprocess.run([LANESCOPE, 'generations', *words, '--json'], capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout)['rows']


naive, tile = rows('transpose:naive,n=512'), rows('transpose:pad,n=512')
models = [row['model'] for row in naive]
assert len(models) == len(set(models)) >= 18 and models[0] == '8800gtx', models
assert [float(row['compute_capability']) for row in naive] == sorted(float(row['compute_capability']) for row in naive)
for before, after in zip(naive, tile):
    assert before['params'] == after['params'] and before['ideal_ns'] == after['ideal_ns'], before
    assert before['time_ns'] > before['ideal_ns'] and after['transfers'] < before['transfers'], (before, after)
    assert after['transfers'] >= after['ideal_transfers'] > 0, after
latency = {(row['model'], row['variant']): row for row in rows('latency')}
cycles = {at: float(row['says'].split()[2]) for at, row in latency.items()}
for model in models:
    assert cycles[model, 'register'] < cycles[model, 'shared'] < cycles[model, 'l2'] <= cycles[model, 'dram'] < cycles[model, 'mapped'], model
assert cycles['m2090', 'register'] == 22 and 400 <= cycles['8800gtx', 'dram'] <= 600 and 400 <= cycles['m2090', 'dram'] <= 600
assert all('refused' in row['says'] and row['time_ns'] is None for row in rows('peer'))
refused = [row['model'] for row in rows('bank-stride:32-bit,stride=1') if 'refused' in row['says']]
assert not refused, refused
for words in ([], ['nothing-like-it'], ['copy-offset', 'copy-stride']):
    done = subprocess.run([LANESCOPE, 'generations', *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr, (words, done)
