#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""debug.py LANESCOPE [PROGRAM]: `lanescope debug` by its commands: back is the way forward backwards, place by place; a place is
the same however it is reached; a write is found, and made by the instruction that is shown; PROGRAM, tests/standin/broken.cu, has a race, and ends
as it would without."""
import re
import subprocess
import sys

LANESCOPE = sys.argv[1]
failures = []


def debug(commands, *words):
    done = subprocess.run([LANESCOPE, 'debug', *words], input='\n'.join(commands) + '\n', capture_output=True,
                          text=True, timeout=120, check=False)
    answers = re.split(r'^> .*\n', done.stdout, flags=re.M)
    return answers, done


def place(answer):
    """Without what the step before has computed: a place that is reached from elsewhere has none."""
    return re.search(r'^#.*\n.*\n', answer + '\n', re.M).group(0) if '#' in answer else answer


def check(holds, what, *shown):
    if not holds:
        failures.append(what + ''.join(f'\n    {text!r}' for text in shown))


# Forward and back, through calls, divergence and barriers.
STEPS = 60
forward, done = debug(['step'] * STEPS + ['back'] * (STEPS - 1) + ['step'] * 5, 'reduction:divergent')
places = [place(answer) for answer in forward[1:]]
check(done.returncode == 0 and len(places) == 2 * STEPS + 4, 'not all answers', done.stderr, len(places))
check(places[STEPS:2 * STEPS - 1] == places[STEPS - 2::-1], 'back is not forward backwards')
check(places[2 * STEPS - 1:] == places[1:6], 'forward again is another way')
check(len(set(places[:STEPS])) == STEPS, 'two places are alike')

# From the end, and by a position.
answers, done = debug(['run', 'back', 'go 777', 'run', 'go 777', 'back', 'lineback 25', 'line 25', 'previous', 'go 99999999', 'quit'],
                      'reduction:divergent')
end = re.search(r'has ended after (\d+) warp instructions', answers[1])
check(end and place(answers[2]).startswith(f'#{int(end.group(1)) - 1} '), 'the last instruction', answers[1:3])
check(place(answers[3]).startswith('#777 ') and place(answers[3]) == place(answers[5]), 'a position', answers[3], answers[5])
check(answers[4] == answers[1], 'the end', answers[4])
number = [int(re.match(r'#(\d+)', place(answer)).group(1)) for answer in answers[6:10]]
check(number[0] < 777 and number[1] < number[0] < number[2] and number[3] < number[2], 'lines', number)

# Who wrote the words that a store of the second step reads: the store before of the same warp, by the same lanes.
answers, done = debug(['line 9', 'step 6', 'lanes', 'mem', 'who lane 0', 'mem', 'who lane 0', 'lineback 1', 'reg %r1', 'reg %no', 'regs', 'warps',
                       'list', 'nonsense', 'clear', 'break 25', 'run', 'run', 'runback', 'warp 3 2', 'who 0x10', 'watch lane 0'],
                      'reduction:divergent')
check('executed by lanes' in answers[2], 'half of the lanes', answers[2])
check(re.search(r'^  w lanes 1.*waiting for the other lanes of the warp at line', answers[3], re.M), 'who waits', answers[3])
if re.search('(read|write) 4 bytes', answers[4]):
    check('Written here' in answers[5] and 'st.shared' in answers[5], 'who wrote', answers[5])
check('No instruction of this kernel is at line 1: the next line with one is' in answers[8], 'a line without code', answers[8])
check('no such register' in answers[10], 'no register', answers[10])
check(len(re.findall(r'^[* ] warp', answers[12], re.M)) == 8, 'warps', answers[12])
check('* ' in answers[13], 'the list', answers[13])
check("There is no command 'nonsense'" in answers[14], 'no command', answers[14])
_, done = debug(['break 22', 'break'], 'reduction:divergent')
check('at line 22: the next line with one is 23' in done.stdout and 'There is no breakpoint' in done.stdout, 'a breakpoint without code', done.stdout)
_, done = debug(['step 100', 'step', 'back', 'line 18', 'warp 1', 'step 3'], 'copy-stride')
check('The warp ends with this instruction' in done.stdout and 'does not come to line' in done.stdout.replace('No instruction of this kernel is', 'does not come to line'),
      'the end of a warp', done.stdout)
check('has ended after' not in done.stdout, 'a step leaves the warp', done.stdout)
check(place(answers[19]) == place(answers[17]), 'runback', answers[17:20])
check('block (3,0,0) warp 2' in answers[20], 'another warp', answers[20])
check('Nothing in this launch has written' in answers[21], 'nobody', answers[21])

if len(sys.argv) > 2:
    program = ['--', sys.argv[2], 'race']
    answers, done = debug(['run', 'back', 'who lane 0', 'run', 'run', 'run', 'checks off', 'run', 'run'], *program)
    check('race in' in answers[1] and 'The check reports' in answers[1], 'a race', answers[1])
    check(re.search(r'st\.|ld\.|atom', answers[2]), 'the access', answers[2])
    ended = re.search(r'The program has ended with status (\d+)', done.stdout)
    check(ended and ended.group(1) == '1', 'its status', done.stdout[-300:])

# The screen: the instruction is marked, strips and memory beside it, in every size; a command's answer is a page; keys are explained.
GO = ': l i n e SPACE 2 4 ENTER x' + ' RIGHT' * 14
for size, words in (('120x32', ['▸     st.shared', '#w#w#w#w', 'a.b.c.d.', '0.2.4.6.', ' new', 'shared: 1 word of one bank']),
                    ('80x24', ['▸     st.shared', '#w#w#w#w', 'a.b.c.d.', '0.2.4.6.']), ('200x60', ['0.2.4.6.', '▸']), ('40x10', ['▸']), ('20x5', ['#161'])):
    done = subprocess.run([LANESCOPE, 'debug', '--snapshot', 'text', '--size', size, '--keys', GO, 'reduction:divergent'],
                          capture_output=True, text=True, timeout=60, check=False)
    width, height = map(int, size.split('x'))
    lines = done.stdout.splitlines()
    check(done.returncode == 0 and len(lines) <= height and all(len(line) <= width for line in lines), f'the screen at {size}', done.stderr)
    check(all(word in done.stdout for word in words), f'the screen at {size}', done.stdout)
done = subprocess.run([LANESCOPE, 'debug', '--snapshot', 'text', '--keys', '?', 'reduction:divergent'], capture_output=True, text=True, timeout=60, check=False)
check('the next warp of the block' in done.stdout and 'lineback N' in done.stdout, 'the keys', done.stdout)
done = subprocess.run([LANESCOPE, 'debug', '--snapshot', 'text', '--keys', 'RIGHT w', 'reduction:divergent'], capture_output=True, text=True, timeout=60, check=False)
check('Only words of global and shared memory' in done.stdout, 'a message', done.stdout)

# A command that goes somewhere shows the place, one that does not its sentence; w is of the step before where this one touches no memory.
done = subprocess.run([LANESCOPE, 'debug', '--snapshot', 'text', '--size', '120x32', '--keys', ': l i n e SPACE 2 4 ENTER RIGHT', 'reduction:divergent'],
                      capture_output=True, text=True, timeout=60, check=False)
check('#148 ' in done.stdout and '\u25b8' in done.stdout, 'a command that moves', done.stdout)
done = subprocess.run([LANESCOPE, 'debug', '--snapshot', 'text', '--keys', ': l i n e SPACE 9 9 ENTER', 'reduction:divergent'], capture_output=True, text=True, timeout=60, check=False)
check('No instruction of this kernel is at line 99' in done.stdout.splitlines()[-1], 'a sentence', done.stdout)
screens = [subprocess.run([LANESCOPE, 'debug', '--snapshot', 'text', '--size', '120x32', '--keys', ': l i n e SPACE 1 1 ENTER ' + 'RIGHT ' * steps + 'w',
                           'reduction:divergent'], capture_output=True, text=True, timeout=60, check=False).stdout for steps in (7, 8)]
check('writes 4 bytes a lane, shared' in screens[0] and screens[0].splitlines()[0] == screens[1].splitlines()[0], 'who wrote what was just read', *screens)

# The next launch of a kernel by part of its name, in any case; lanes that have no thread.
_, done = debug(['launch MOVE', 'quit'], 'compaction:scan,keep=50')
check('Launch 3: compaction_move' in done.stdout, 'a launch by name', done.stdout)
answers, done = debug(['step', 'warp 3', 'lanes', 'quit'], 'block-multiple,block=100')
check(re.search(r'lanes 4-31: no threads: the block has 100', done.stdout), 'lanes without a thread', done.stdout)

# Wrong command lines.
for words, sentence in ((['nothing-like-this'], 'nothing-like-this'), ([], 'Name one workload'), (['copy', '--', 'true'], 'not both'),
                        (['--', '/nonexistent'], 'cannot be started'), (['--', 'true'], 'launched no kernel')):
    _, done = debug(['quit'], *words)
    check(done.returncode not in (0, 1) and sentence in done.stderr, f'{words}: {done.returncode}', done.stderr)

if failures:
    sys.exit('\n'.join(failures))
