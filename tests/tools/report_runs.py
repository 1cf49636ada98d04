#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sheets of `report --json` as runs that hold their kernels: the form of schema 1, which scripts walk.

    import report_runs; report = report_runs.nested(json.loads(text))
    report_runs.py OLD.json NEW.json ...         every value of a report of schema 1 is in the one of schema 2: exit status 0
    report_runs.py --moved OLD.json NEW.json ... the same, and a list of what moved: where each value of schema 1 is now
"""
import json
import sys

SPREAD = (('count', 'count'), ('time_ns', 'total_ns'), ('mean_ns', 'mean_ns'), ('median_ns', 'median_ns'),
          ('deviation_ns', 'deviation_ns'), ('min_ns', 'min_ns'), ('max_ns', 'max_ns'))


def rows_by(sheet, *keys):
    """{key or tuple of keys: rows}"""
    found = {}
    for row in sheet['rows']:
        key = row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)
        found.setdefault(key, []).append(row)
    return found


def spread(row):
    return {old: row[new] for old, new in SPREAD}


def parameters(text):
    pairs = [pair.split('=', 1) for pair in (text or '').split(',') if '=' in pair]
    def value(word):
        digits = word[1:] if word.startswith('-') else word
        whole = digits.isdigit() and len(digits) <= 15 and (digits[0] != '0' or digits == '0')
        return int(word) if whole else word
    return {name: value(word) for name, word in pairs}


def class_of_schema_1(name):
    """Launch calls and what is between them were one class."""
    return 'idle_launch' if name == 'idle_between' else name


def partitions(rows, blames):
    parts = {}
    for row in rows:
        part = parts.setdefault(row['part'], {'span_ns': 0, 'classes': {}})
        if row['class'] in ('copies_hidden', 'collectives_hidden'):
            part[row['class'] + '_ns'] = row['ns']
        else:
            name = class_of_schema_1(row['class'])
            part['classes'][name] = part['classes'].get(name, 0) + row['ns']
            part['span_ns'] += row['ns']
    for number, part in parts.items():
        part['idle'] = [{'class': class_of_schema_1(row['class']), 'name': row['name'], 'ns': row['ns'], 'times': row['times']}
                        for row in blames if row['part'] == number]
    return [parts[number] for number in sorted(parts)]


def advice_of(row, evidence):
    advice = {key: row[key] for key in ('id', 'fine', 'text', 'where', 'gain_at_most', 'gain_at_most_ns', 'gain_formula',
                                        'how', 'now', 'taught', 'priority')}
    advice['provenance'] = row['gain_at_most_provenance']
    advice['evidence'] = [{'id': one['id'], 'value': one['value'], 'unit': one['unit'], 'provenance': one['value_provenance'],
                           'bound': one['bound']} for one in evidence.get(row['advice'], [])]
    return advice


class Report:
    def __init__(self, document):
        assert document['schema'] == 2, document['schema']
        self.sheets = document['sheets']
        self.left_out = next((sheet['left_out'] for sheet in self.sheets.values() if sheet['left_out']), None)
        by = lambda name, *keys: rows_by(self.sheets[name], *keys)
        self.metrics = by('metrics', 'kernel')
        self.advice, self.evidence = by('advice', 'run', 'of'), by('evidence', 'advice')
        self.lines, self.stalls = by('lines', 'kernel'), by('stalls', 'kernel', 'file', 'line')
        self.launched_from, self.frames = by('launched_from', 'kernel'), by('frames', 'path')
        self.shapes, self.paths = by('shapes', 'run'), by('paths', 'run')
        self.time, self.blames = by('time', 'run', 'of'), by('run_idle', 'run', 'of')
        self.tables = {name: by(name, 'run') for name in ('run_copies', 'run_calls', 'run_ranges', 'run_steps', 'steps', 'overlap',
                                                          'serialised', 'amdahl', 'samples')}

    def complete(self, name):
        return not self.sheets[name]['left_out']

    def kernel(self, row):
        number = row['kernel']
        kernel = {key: row[key] for key in ('name', 'short_name', 'mangled', 'registers', 'dynamic_shared_bytes', 'launches',
                                            'measured_launches', 'state', 'said')}
        kernel['grid'] = [row['grid_' + axis] for axis in 'xyz']
        kernel['block'] = [row['block_' + axis] for axis in 'xyz']
        kernel['time_ns'] = {old: row[old + '_ns'] for old in ('min', 'median', 'max', 'mean', 'total')}
        kernel['metrics'] = {one['metric']: {'value': one['value'], 'unit': one['unit'],
                                             'provenance': one['value_provenance'], **{key: one[key] for key in (
                                                 'derived', 'bound', 'n', 'min', 'max', 'expected', 'modelled', 'why')}}
                             for one in self.metrics.get(number, [])}
        kernel['advice'] = [advice_of(one, self.evidence) for one in self.advice.get((row['run'], 'kernel'), [])
                            if one['kernel'] == number]
        kernel['lines'] = [self.line(one) for one in self.lines.get(number, [])]
        if number in self.launched_from:
            kernel['launched_from'] = [{key: one[key] for key in ('function', 'file', 'line', 'library', 'launches', 'time_ns')}
                                       for one in self.launched_from[number]]
        return kernel

    def line(self, row):
        costs = {key: value for key, value in row.items()
                 if key not in ('kernel', 'file', 'line', 'instructions_of_line', 'provenance', 'name')}
        return {'file': row['file'], 'line': row['line'], 'provenance': row['provenance'],
                'instructions': row['instructions_of_line'], 'costs': costs,
                'stalls': {one['reason']: one['samples']
                           for one in self.stalls.get((row['kernel'], row['file'], row['line']), [])}}

    def steps(self, number):
        if number not in self.tables['run_steps']:
            return None
        row, steps = self.tables['run_steps'][number][0], self.tables['steps'][number]
        return {'launches': row['launches'], 'start_ns': row['start_ns'], 'end_ns': row['end_ns'],
                'time': partitions(self.time.get((number, 'steps'), []), self.blames.get((number, 'steps'), [])), **spread(row),
                'times_ns': [step['time_ns'] for step in steps],
                'outliers': [{key: step[key] for key in ('step', 'time_ns', 'differs_in', 'differs_ns')}
                             for step in steps if step['outlier']]}

    def amdahl(self, row, places):
        number = row["run"]
        rows = self.tables['amdahl'].get(number)
        if not rows and row['device_time_ns'] is None:
            return None
        if not rows: # nothing but copies
            return {'device_time_ns': row['device_time_ns'], 'device_span_ns': row['first_to_last_ns'], 'kernels': []}
        law = {'provenance': rows[0]['whole_ns_provenance'], 'derived': True,
               'formula': self.sheets['amdahl']['notes'][0].split(' = ', 1)[1], 'kernels': []}
        for row in rows:
            law[{'device_time': 'device_time_ns', 'run': 'run_ns', 'device_span': 'device_span_ns'}[row['of']]] = row['whole_ns']
            place = places.index(row['kernel'])
            kernel = next((one for one in law['kernels'] if one['kernel'] == place), None)
            if kernel is None:
                kernel = {'kernel': place, 'busy_ns': row['busy_ns'], 'alone_ns': row['alone_ns']}
                law['kernels'].append(kernel)
            kernel['of_' + row['of']] = {'share': row['share'], '2x': row['gain_2x'], '10x': row['gain_10x'],
                                         'infinite': row['gain_infinite']}
        return law

    def run(self, row):
        number = row['run']
        traced = row['device_time_ns'] is not None or row['span_ns'] is not None
        run = {'workload': row['workload']} if row['workload'] is not None else {'program': row['program']}
        run.update(variant=row['variant'], params=parameters(row['params']) if row['workload'] is not None else {},
                   verified=row['verified'], output_digest=row['output_digest'], clock='model' if row['clock'] == 'model' else 'wall',
                   device=row['device'], device_time_ns=row['device_time_ns'], first_to_last_ns=row['first_to_last_ns'],
                   span_ns=row['span_ns'])
        run['process'] = None if row['pid'] is None else {key: row[key] for key in ('pid', 'host', 'rank', 'exit_status')}
        shapes = self.shapes.get(number, [])
        run['kernels'] = [self.kernel(shape) for shape in shapes]
        table = lambda name: self.tables[name].get(number, [])
        run['copies'] = [{'kind': one['kind'], 'host_memory': one['host_memory'], 'bytes': one['bytes'], **spread(one)}
                         for one in table('run_copies')] if self.complete('run_copies') else None
        run['calls'] = [{'name': one['name'], **spread(one)} for one in table('run_calls')] if self.complete('run_calls') else None
        run['ranges'] = [{'name': one['name'], 'parent': one['parent'], **spread(one), 'operations': one['operations'],
                          'device_ns': one['device_ns'], 'projected_ns': one['projected_ns']}
                         for one in table('run_ranges')] if self.complete('run_ranges') else None
        known = self.complete('time') and number in self.tables['overlap']
        run['time'] = partitions(self.time.get((number, 'run'), []), self.blames.get((number, 'run'), [])) if known else None
        run['steps'] = self.steps(number)
        overlap = table('overlap')
        run['overlap'] = {**{key: value for key, value in overlap[0].items() if key != 'run'},
                          'serialised': [{'reason': one['reason'], 'ns': one['ns']} for one in table('serialised')]
                          } if overlap else None
        run['amdahl'] = self.amdahl(row, [shape['kernel'] for shape in shapes])
        run['advice'] = [advice_of(one, self.evidence) for one in self.advice.get((number, 'run'), [])]
        run['verdict'] = None if row['verdict_span_ns'] is None else {
            'span_ns': row['verdict_span_ns'], 'uncounted_ns': row['verdict_uncounted_ns'], 'left_out': row['verdict_left_out'],
            'findings': [{'kernel': one['name'], 'advice': advice_of(one, self.evidence)}
                         for one in self.advice.get((number, 'verdict'), [])]}
        run['counters_over_time'] = [{'name': one['name'], 'title': one['title'], 'per_second': one['per_second'],
                                      'provenance': one['mean_provenance'], 'mean': one['mean'], 'most': one['most'],
                                      'sampled_ns': one['sampled_ns'], 'kernel_ns': one['kernel_ns']} for one in table('samples')]
        if traced and number in self.paths:
            run['stacks'] = [{'kind': one['kind'], 'kernel': one['kernel'], 'count': one['count'], 'time_ns': one['time_ns'],
                              'frames': [{key: frame[key] for key in ('function', 'file', 'line', 'library')}
                                         for frame in self.frames.get(one['path'], [])]} for one in self.paths[number]]
        return run


def nested(document):
    """A report of schema 2 in the form of schema 1; one of schema 1 as it is."""
    if document['schema'] == 1:
        return document
    report = Report(document)
    notices = [{key: row[key] for key in ('time_ns', 'severity', 'text', 'pid')} for row in report.sheets['notices']['rows']]
    return {'schema': 1, 'devices': report.sheets['devices']['rows'],
            'runs': [report.run(row) for row in sorted(report.sheets['runs']['rows'], key=lambda row: row['run'])], 'notices': notices}


def differences(old, new, place='', found=None):
    """Where a value of `old` is not in `new`."""
    found = [] if found is None else found
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if key not in new:
                found.append(f'{place}.{key}: missing')
            else:
                differences(old[key], new[key], f'{place}.{key}', found)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            found.append(f'{place}: {len(old)} and {len(new)} elements')
        for i, (a, b) in enumerate(zip(old, new)):
            differences(a, b, f'{place}[{i}]', found)
    elif old != new:
        found.append(f'{place}: {old!r} and {new!r}')
    return found


REWORDED = ('gain_formula',)  # sentences of the rules: they change with a rule, not with the form


# Values that know their sheet and column. Null cannot.
class Number(float):
    pass


class Whole(int):
    pass


class Text(str):
    pass


def marked(document):
    """The document, each of whose values knows where it is."""
    def mark(value, place):
        kind = {float: Number, int: Whole, bool: Whole, str: Text}.get(type(value))
        if kind is None:
            return value
        value = kind(value)
        value.place = place
        return value
    for name, sheet in document['sheets'].items():
        sheet['rows'] = [{column: mark(value, f'{name}.{column}') for column, value in row.items()} for row in sheet['rows']]
        sheet['notes'] = [mark(note, f'{name}, notes') for note in sheet['notes']]
    return document


def places_of(value, path, moved):
    """{where it was in schema 1: {sheet.column where it is}}"""
    if isinstance(value, dict):
        for key, one in value.items():
            places_of(one, f'{path}.{key}'.lstrip('.') if not path.endswith('.metrics') else f'{path}.*', moved)
    elif isinstance(value, list):
        for one in value:
            places_of(one, path + '[]', moved)
    else:
        moved.setdefault(path, set()).update({value.place} if hasattr(value, 'place') else set())


def main():
    files = [name for name in sys.argv[1:] if name != '--moved']
    found, moved = 0, {}
    for old_name, new_name in zip(files[::2], files[1::2]):
        old, new = (json.load(open(path, encoding='utf-8')) for path in (old_name, new_name))
        missing = differences(old, nested(marked(new)))
        places_of(nested(marked(new)), '', moved)
        reworded = [line for line in missing if line.split(': ')[0].split('.')[-1] in REWORDED and not line.endswith('missing')]
        missing = [line for line in missing if line not in reworded]
        found += len(missing)
        for line in missing[:40]:
            print(line)
        print(f'{len(missing)} values of {old_name} are not in {new_name}; {len(reworded)} sentences of rules have other words')
    if '--moved' in sys.argv:
        for old, places in moved.items():
            print(f'{old}: {", ".join(sorted(places)) or "null here, or worked out from others"}')
    return 1 if found or not files or len(moved) < 60 else 0


if __name__ == '__main__':
    sys.exit(main())
