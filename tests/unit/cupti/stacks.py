# SPDX-License-Identifier: Apache-2.0
"""stacks.py BUILD: the agent's capture of call paths inside this Python, by tests/doubles/stacks.c. Any CPython from 3.9 on: by
the layout of its frames where that is known, then by the public C API alone, which needs the GIL."""
import ctypes
import gc
import os
import subprocess
import sys
import threading

LIBRARY = sys.argv[1] + "/tests/stacks_double.so"
held, free = ctypes.PyDLL(LIBRARY), ctypes.CDLL(LIBRARY)  # the GIL is held during a call, or not
for library in held, free:
    library.stacks_double_text.restype = ctypes.c_char_p
capture = held.stacks_double_capture
PUBLIC = "STACKS_PUBLIC_API" in os.environ
NAMES = sys.version_info >= (3, 11)  # co_qualname
HERE = os.path.relpath(__file__) if os.path.abspath(__file__).startswith(os.getcwd() + "/") else os.path.abspath(__file__)


def frames(stack):
    return held.stacks_double_text(stack).decode("utf-8", "backslashreplace").splitlines()


def frame(line, name):
    return f"{HERE}:{line} {name}"


def check(what, wanted):
    if what != wanted:
        sys.exit(f"line {sys._getframe(1).f_lineno}: {what!r} is not {wanted!r}")


def line():
    return sys._getframe(1).f_lineno


class Block:
    def forward(self):
        return capture(), line()

    def again(self):
        first = capture()
        second = capture()
        return first, second


def inner():
    return Block().forward(), line()


def outer():
    return inner(), line()


def generate():
    yield capture(), line()


def test_nested():
    ((stack, at_forward), at_inner), at_outer = outer()
    text = frames(stack)
    check(text[:4], [frame(at_forward, "Block.forward" if NAMES else "forward"), frame(at_inner, "inner"),
                     frame(at_outer, "outer"), frame(line() - 3, "test_nested")])
    check(text[-1].split()[1], "<module>")
    block = Block()
    first, second = block.again()
    check(first != second, True)  # of two lines of one function
    pairs = [block.again() for _ in range(3)]
    check(pairs[1:], [pairs[0]] * 2)  # the same lines are the same paths, and are announced once
    before = held.stacks_double_announced()
    for _ in range(100):
        block.again()
    check(held.stacks_double_announced() - before <= 4, True)


def test_generator():
    (stack, at), = list(generate())
    check(frames(stack)[0], frame(at, "generate"))


def test_threads():
    """A thread of Python has a path of its own; also one that released the GIL, as PyTorch does before it launches."""
    found = []
    thread = threading.Thread(target=lambda: found.append(capture()))
    thread.start()
    thread.join()
    check("<lambda>" in frames(found[0])[0], True)
    released = frames(free.stacks_double_capture())
    if PUBLIC:
        check(any("python" in text for text in released), True)
        check(any(".py:" in text for text in released), False)
    else:
        check(released[0], frame(line() - 5, "test_threads"))


def test_native_thread():
    native = frames(held.stacks_double_thread())
    check(any(".py:" in text for text in native) or not native, False)
    check(any("stacks_double" in text for text in native), False)  # our own frames are left out


def spin(stop):
    while not stop:
        [str(i) for i in range(1000)]


def test_beside_other_threads():
    """Frames of this thread are read while others run Python."""
    stop, seen = [], set()
    others = [threading.Thread(target=spin, args=(stop,)) for _ in range(2)]
    for other in others:
        other.start()
    for _ in range(300):
        seen.add(free.stacks_double_capture())
    stop.append(True)
    for other in others:
        other.join()
    check(len(seen), 1)


def from_c(_):
    return capture()


def test_through_c():
    """Python called by C called by Python: the interpreter's own frames between are no frames of the program."""
    found = []
    sorted([3], key=lambda item: found.append(from_c(item)) or 0)
    check([text.split()[1].rsplit(".", 1)[-1] for text in frames(found[0])[:3]], ["from_c", "<lambda>", "test_through_c"])


def test_freed_code():
    """Functions come and go at the same addresses: each has its own name."""
    for i in range(300):
        space = {"capture": capture}
        exec(compile(f"def made_{i}():\n    return capture()", f"/tmp/made_{i}.py", "exec"), space)
        check(frames(space[f"made_{i}"]())[0], f"/tmp/made_{i}.py:2 made_{i}")
        del space
        gc.collect()


def test_pending():
    """An exception that is pending during a launch stays, and is no part of the capture."""
    held.stacks_double_pending.argtypes = [ctypes.py_object]
    try:
        held.stacks_double_pending(KeyError)
        check("no exception", "an exception")
    except KeyError:
        pass
    check(frames(held.stacks_double_last())[0].split()[1], "test_pending")
    check(gc.isenabled(), True)


def test_hostile():
    name, space = "n" * 5000, {"capture": capture}
    exec(compile(f"def {name}():\n    return capture()", "/" + "f" * 5000 + ".py", "exec"), space)
    text = frames(space[name]())[0]
    check(text, "/" + "f" * 1022 + ":2 " + "n" * 511)
    space = {"capture": capture}
    exec(compile("def é():\n    return capture()", "/tmp/\udcff.py", "exec"), space)
    check(frames(space["é"]())[0], "/tmp/\\udcff.py:2 é")


def deep(depth):
    return capture() if depth == 0 else deep(depth - 1)


def test_deep():
    found = []

    def run():
        found.append(frames(deep(10000)))

    sys.setrecursionlimit(12000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    threading.stack_size(0)
    check(len(found[0]), 65)  # STACKS_FRAMES and the sentence
    check(found[0][-1], ":0 (further callers)")


def test_full_ring():
    def alone():
        return capture()

    held.stacks_double_refuse(1)
    check(alone(), 0)
    check([alone(), alone()].count(0), 0)


def test_fork():
    child = os.fork()
    if child == 0:
        os._exit(0 if frames(capture())[0].split()[1] == "test_fork" else 1)
    check(os.waitpid(child, 0)[1], 0)


def test_end():
    """After Python has ended in a process nothing of it is touched."""
    code = (f"import ctypes, sys; library = ctypes.PyDLL('{LIBRARY}'); library.stacks_double_capture(); "
            "library.stacks_double_at_end()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    check((done.returncode, done.stdout), (0, "captured after the end: native\n"))


def left(bits):
    return capture() if bits == 1 else right(bits >> 1) if bits & 1 else left(bits >> 1)


def right(bits):
    return capture() if bits == 1 else right(bits >> 1) if bits & 1 else left(bits >> 1)


def test_many():
    """More distinct paths than are kept: the first ones stay, the others have none. Last, since the tables are full then."""
    first, stacks = [], set()
    for _ in range(2):
        first.append(left(1 << 16))
        stacks |= {left(1 << 16 | bits) for bits in range(1 << 16)}
    check(held.stacks_double_full(), 1)
    check(0 in stacks and len(stacks) > 30000, True)
    check(first[0] != 0 and first[0] == first[1], True)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
if not PUBLIC:
    subprocess.run([sys.executable, __file__, *sys.argv[1:]], env={**os.environ, "STACKS_PUBLIC_API": "1"}, check=True)
    print("call paths in Python", sys.version.split()[0], "are right")
