#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs.py ROOT PRINT_ROWS [--write]: what documents say of the rows of a table is what PRINT_ROWS prints of them.

In docs/metrics.md, docs/advice.md and docs/coverage.md that is all after the marker, what stands before it is written by hand; docs/NAME.schema.json of DOCUMENTS is made
whole. `cmake --build build/dev --target docs` writes them anew.
"""
import subprocess
import sys

DOCUMENTS = ('report', 'device', 'diff', 'grade', 'job', 'list')
MARKER = '<!-- From here on: made of the rows by `cmake --build build/dev --target docs`. -->\n'


def main():
    root, print_rows, write = sys.argv[1], sys.argv[2], sys.argv[3:] == ['--write']

    def rows(what):
        return subprocess.run([print_rows, what], capture_output=True, text=True, check=True).stdout

    def page(text, what):
        head, marker, _ = text.partition(MARKER)
        if not marker:
            sys.exit(f'docs/{what}.md has no line "{MARKER.strip()}"')
        return head + marker + rows(what)

    failures = 0
    for name, make in (('metrics.md', lambda text: page(text, 'metrics')), ('advice.md', lambda text: page(text, 'advice')),
                       ('coverage.md', lambda text: page(text, 'coverage')),
                       *((f'{document}.schema.json', lambda text, document=document: rows(f'{document}-schema')) for document in DOCUMENTS)):
        path = f'{root}/docs/{name}'
        with open(path, encoding='utf-8') as document:
            kept = document.read()
        made = make(kept)
        if kept == made:
            continue
        if write:
            with open(path, 'w', encoding='utf-8') as document:
                document.write(made)
            print(f'docs/{name} was written anew')
        else:
            print(f'docs/{name} differs from the rows: cmake --build build/dev --target docs, and look at what changed')
            failures += 1
    sys.exit(1 if failures else 0)


main()
