#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arrows.py ROOT [BUILD]: who may use whom (docs/architecture.md).

Reads the #include lines of ROOT and, when BUILD is given, the symbols of its objects. Prints every include and every
symbol that points from a room to one above it, and every circle of objects larger than its room allows. --graph prints
the rooms with their floors and arrows as well. Exit status 1 if there is anything to complain about.
"""
import collections
import glob
import os
import re
import subprocess
import sys

# The rooms of a top-level folder, lowest first: a room uses those before it. Folders on one line, joined by '=', are one
# floor and may use each other. The number is the largest circle of objects (files that need each other) the folder may hold.
FLOORS = {
    'core': (1, ['base', 'sheet', 'wire', 'hardware', 'session', 'intake', 'import', 'recording', 'recording/reader',
                 'recording/readback', 'recording/writer', 'metric', 'analysis/overlap', 'analysis', 'replay', 'advice', 'ranks']),
    'simt': (9, ['ptx', 'lanes', 'program', 'program/lower', 'program/merge', 'program/share', 'count', 'timing', 'memory', 'check', 'engine', 'device', 'debug']),
    'cupti': (10, ['load', 'profiler', 'sampler', 'probe', 'agent=agent/counters=agent/lines=agent/stacks']),
    'standin': (6, ['.=graph=versions', 'libraries', 'libraries/cublas/kernels=libraries/cufft/kernels=libraries/curand/kernels',
                    'libraries/cublas=libraries/cufft=libraries/curand']),
    'workloads': (1, ['frame', 'cuda', 'set=set/coalescing=set/shared=set/streams=set/execution=set/memories=set/prefetch=set/primitives', '.']),
    'tui': (13, ['terminal', 'widgets', 'frame', 'ranks', 'timeline', 'views=views/chart=views/kernels=views/lanes=views/panel=views/source=views/workloads', '.']),
    'cli': (1, ['options', 'output', 'process', 'own', 'machine', 'children', 'model', 'report/data', 'report', 'report/summary', 'export',
                'diff', 'run', 'debug', 'exercise', 'coverage', 'screen', 'ranks', 'gate', 'judge', 'mcp',
                '.']),
}
# Folders beside the own one that a top-level folder may use.
USES = {
    'core': (),
    'simt': ('core',),
    'cupti': ('core',),
    'standin': ('core', 'simt'),
    'tui': ('core',),
    'workloads': ('core', 'simt'),
    'cli': ('core', 'simt', 'workloads', 'tui', 'cupti'),
}
CLI_OF_CUPTI = re.compile(r'cupti/(sampler/sampler|probe/probe)\.h$')  # all that cli knows of it
CURSES = re.compile(r'(^|/)(n?curses|term|panel|form|menu)\.h$')

failures = 0


def complain(text):
    global failures
    failures += 1
    print(text)


def floor_of(room, top):
    for floor, names in enumerate(FLOORS[top][1]):
        if room in names.split('='):
            return floor
    return None


def place(path):
    """top-level folder and room of a file: 'core/base/error.h' -> ('core', 'base'); main.c -> '.'"""
    top, _, rest = path.partition('/')
    return top, os.path.dirname(rest) or '.'


def may_use(path, other):
    """None, or why the file at `path` may not use the one at `other`."""
    top, room = place(path)
    other_top, other_room = place(other)
    if other_top != top:
        if other_top not in USES[top]:
            return f'{top} may not use {other_top}'
        return None
    mine, theirs = floor_of(room, top), floor_of(other_room, top)
    if theirs is None:
        return f'{other_top}/{other_room} is no room that tests/repo/arrows.py knows'
    if mine is not None and theirs > mine:
        return f'{top}/{other_room} lies above {top}/{room}'
    return None


def check_includes(files):
    includes = 0
    for path in files:
        top, room = place(path)
        if floor_of(room, top) is None and not (top == 'cli' and room == 'ladder'):
            complain(f'{path}: {top}/{room} is no room that tests/repo/arrows.py knows')
        with open(path, encoding='utf-8', errors='replace') as source:
            for number, line in enumerate(source, 1):
                match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                if not match:
                    continue
                includes += 1
                system, header = match.group(1) == '<', match.group(2)
                other = header.split('/')[0]
                why = None
                if '../' in header:
                    why = 'name the file from the root of the tree'
                elif '/' in header and other in FLOORS:
                    if top == 'cli' and other == 'cupti' and not CLI_OF_CUPTI.match(header):
                        why = 'cli knows of cupti only its sampler and probe'
                    else:
                        why = None if room == 'ladder' else may_use(path, header)
                elif '/' in header and other in ('tests', 'build'):
                    why = 'tests and build outputs are not part of the program'
                if system and CURSES.search(header) and not path.startswith('tui/terminal/'):
                    why = 'only tui/terminal knows curses'
                if system and re.match(r'(cupti|nvperf|generated_)', header) and top != 'cupti':
                    why = 'only cupti/ knows the headers of CUPTI'
                if header.startswith('criterion/'):
                    why = 'Criterion is for tests'
                if why:
                    complain(f'{path}:{number}: {line.strip()}: {why}')
    print(f'{includes} includes checked')
    if not includes:
        complain('no include was found: nothing was checked')


def read_objects(build, files):
    """{file: set of files whose symbols its object needs}"""
    known, defined, needed = set(files), {}, {}
    names = {}
    for top in FLOORS:
        for path in glob.glob(f'{build}/{top}/CMakeFiles/**/*.c.o', recursive=True):
            if 'lanescope-agent.dir' not in path:  # the same objects once more
                names[path] = f"{top}/{path.split('.dir/', 1)[1][:-2]}"
    objects = [path for path, name in names.items() if name in known]
    if not objects:
        return {}
    for line in subprocess.run(['nm', '-P', '-A', *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, rest = line.partition(': ')
        symbol, kind = rest.split()[:2]
        if kind == 'U':
            needed.setdefault(names[path], set()).add(symbol)
        elif kind in 'TDBRVWC':
            defined.setdefault(symbol, names[path])
    arrows = collections.defaultdict(dict)
    for name, symbols in needed.items():
        for symbol in symbols:
            other = defined.get(symbol)
            if other and other != name:
                arrows[name].setdefault(other, symbol)
    return arrows


def circles(nodes, arrows):
    """Strongly connected components of more than one node, largest first (Tarjan)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in arrows.get(node, ()):
            if other not in nodes:
                continue
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on_stack.remove(component[-1])
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(nodes):
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)


def check_symbols(build, files, graph):
    arrows = read_objects(build, files)
    if not arrows:
        complain(f'{build} holds no objects: no symbol was checked')
        return
    print(f'{sum(len(others) for others in arrows.values())} arrows between {len(arrows)} objects checked')
    for name in sorted(arrows):
        for other, symbol in sorted(arrows[name].items()):
            why = None if name.startswith('cli/ladder/') else may_use(name, other)
            if why:
                complain(f'{name} uses {symbol} of {other}: {why}')
    for top, (largest, floors) in FLOORS.items():
        found = circles({file for file in files if file.startswith(top + '/')}, arrows)
        for circle in found:
            if len(circle) > largest:
                complain(f"{top}: a circle of {len(circle)} objects, {largest} are allowed: {' '.join(circle)}")
        if graph:
            rooms = collections.Counter()
            for name, others in arrows.items():
                for other in others:
                    if name.startswith(top + '/') and place(name) != place(other):
                        rooms[place(name), place(other)] += 1
            print(f"\n{top}: {len(floors)} floors, circles of {[len(circle) for circle in found]}")
            for (room, other), count in sorted(rooms.items()):
                print(f"    {'/'.join(room)} -> {'/'.join(other)}  {count}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != '--graph']
    build = os.path.abspath(arguments[1]) if len(arguments) > 1 else None
    os.chdir(arguments[0])
    sys.setrecursionlimit(10000)
    files = sorted(file for top in FLOORS for file in glob.glob(f'{top}/**/*.[ch]', recursive=True))
    if not files:
        complain('no C files were found: nothing was checked')
    check_includes(files)
    if build:
        check_symbols(build, files, '--graph' in sys.argv)
    sys.exit(1 if failures else 0)


main()
