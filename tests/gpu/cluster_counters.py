#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster_counters.py FILE...: what the counters in recordings say, a line a launch: the kernel and its counters that are not 0, by the numbers of the
list before. For test_clusters.sh."""
import sqlite3
import sys

QUERY = """SELECT m.id, n.text, c.text, v.number FROM measurement m JOIN kernel k ON k.id = m.kernel JOIN shape s ON s.id = k.shape
           JOIN string n ON n.id = s.name JOIN value v ON v.measurement = m.id JOIN string c ON c.id = v.counter ORDER BY m.id"""


def read(path):
    """[(kernel, {counter: number})] in the order of the launches."""
    launches = {}
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        for launch, kernel, counter, number in database.execute(QUERY):
            launches.setdefault(launch, (kernel, {}))[1][counter] = number
    return [launches[key] for key in sorted(launches)]


def main():
    runs = [read(path) for path in sys.argv[1:]]
    used = sorted({counter for run in runs for _, counters in run for counter, number in counters.items() if number})
    for number, counter in enumerate(used):
        print(f"{number} {counter}")
    for launch in range(max(map(len, runs))):
        there = [run[launch] for run in runs if launch < len(run)]
        counters = {counter: number for _, some in there for counter, number in some.items()}
        print(there[0][0], *(f"{i}={counters[counter]:.0f}" for i, counter in enumerate(used) if counters.get(counter)))


main()
