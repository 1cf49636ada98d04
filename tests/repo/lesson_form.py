# SPDX-License-Identifier: Apache-2.0
"""The form of a lesson (docs/lessons/NAME.md; CONTRIBUTING.md, "A lesson"): its parts, their order, what each must have, and
the figures in it: numbers that were measured or modelled."""
import re
import shlex

PARTS = ["Aim", "Picture", "What happens", "Try", "Question", "Answer", "Take home", "Source", "Minutes"]
DOCUMENTS = ["CUDA C Best Practices Guide", "CUDA C++ Programming Guide", "Tuning CUDA Applications for Fermi", "CUDA efficient programming",
             "Fundamentals of CUDA programming", "GPU memory prefetching", "GPU Gems 3", "Optimizing Parallel Reduction in CUDA"]
NUMBER = r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?"
UNITS = r"(?:ns|us|ms|s|[GT]B/s|[KMG]B|%|million)"
# "3.8, 4.9, 11 and 20 us", "13 to 41 %", "2.43 TB/s"; not "100 %" of "48 KiB", and not "0.5 s" in a name
FIGURES = re.compile(rf"(?<![\w.=])({NUMBER}(?:(?:, and |, | and | to | or |/){NUMBER})*) {UNITS}(?![\w/])")
COMMAND = re.compile(r"^    (.*)$", re.M)


def read_parts(text):
    """The title and {part: text}, or a sentence that says what is wrong."""
    title, *rest = re.split(r"^## +(.*)\n", text, flags=re.M)
    names = rest[::2]
    if names != PARTS:
        return f"its parts are {', '.join(names) or 'none'}; they must be {', '.join(PARTS)}"
    return title, dict(zip(names, (body.strip("\n") for body in rest[1::2])))


def sentences(text):
    return [part for part in re.split(r"(?<=[.?!])\s+(?=[A-Z`*\"])", " ".join(text.split())) if part]


def commands(part):
    return [line.strip() for line in COMMAND.findall(part)]


def commands_in_text(part):
    """Whole commands in back quotes."""
    return re.findall(r"`(lanescope [^`]*)`", " ".join(part.split()))


def blocks(part):
    return [block for block in part.split("\n\n") if block.strip()]


def keys_of(text):
    """The keys that a text names, each once, in their order."""
    return list(dict.fromkeys(re.findall(r"`([^`\s])`", re.sub(r"^    .*$", "", text, flags=re.M))))


def faults(name, text):
    """Sentences about what is wrong with the form."""
    parts = read_parts(text)
    if isinstance(parts, str):
        return [parts]
    title, part = parts
    found = []
    begin = re.fullmatch(rf"# {re.escape(name)}: [a-z0-9][^\n]*\n+(?:Keys used here: (.*)\.\n+)?", title)
    if not begin:
        found.append(f"it must begin with '# {name}: ' and what it is about, and a line 'Keys used here: ...'")
    told, used = keys_of((begin and begin.group(1)) or ""), keys_of("\n".join(part.values()))
    if begin and told != used:
        found.append(f"its line of keys has {' '.join(told) or 'none'}, and its text uses {' '.join(used) or 'none'}")
    found += [f"{at} has no text" for at in PARTS if not part[at]]
    if len(sentences(part["Aim"])) != 1 or len(blocks(part["Aim"])) != 1 or not part["Aim"].endswith("."):
        found.append(f"Aim must be one sentence, and is {len(sentences(part['Aim']))}")
    if len(commands(part["Picture"])) != 1:
        found.append("Picture must have one line with a command, indented by four blanks")
    if len(part["Picture"].splitlines()) < 3:
        found.append("Picture must say what one sees after the command, and with which key")
    tried = blocks(part["Try"])
    if not commands(part["Try"]):
        found.append("Try has no command")
    for i, block in enumerate(tried):
        if block.startswith("    ") and (i + 1 == len(tried) or not tried[i + 1].startswith("Expect: ")):
            found.append(f"in Try, after '{block.strip()}': a paragraph must begin with 'Expect: '")
    for command in commands(part["Picture"]) + commands(part["Try"]):
        try:
            words = shlex.split(command)
        except ValueError as error:
            words = [str(error)]
        if words[0] != "lanescope":
            found.append(f"'{command}' is no command of lanescope's")
    if not part["Question"].endswith("?"):
        found.append("Question must end with a question mark")
    if "`" not in part["Answer"]:
        found.append("Answer must name the command or the key that shows it, in back quotes")
    if len(sentences(part["Take home"])) > 3:
        found.append(f"Take home has {len(sentences(part['Take home']))} sentences; three at most")
    if not any(document in " ".join(part["Source"].split()) for document in DOCUMENTS) and "No document" not in part["Source"]:
        found.append("Source must name a document by its title and a figure or a section, or begin with 'No document'")
    if not re.fullmatch(r"[1-9]\d?", part["Minutes"]):
        found.append("Minutes must be a number from 1 to 99")
    return found


def flat(text):
    """Lines of a paragraph joined: a figure can stand at a line's end. As many bytes as before."""
    return re.sub(r"(?<!\n)\n(?![\n|#])", " ", text)


def figures(text):
    """(begin, end) of each number that has a unit, and of each number in a table's cells but those of its first column and its
    head. Numbers in code are not figures."""
    found = []
    plain = re.sub(r"`[^`\n]*`|^    .*$", lambda match: "\0" * len(match.group()), text, flags=re.M)
    for match in FIGURES.finditer(plain):
        found += [(match.start(1) + number.start(), match.start(1) + number.end()) for number in re.finditer(NUMBER, match.group(1))]
    for table in re.finditer(r"(?:^\|.*\n)+", plain, flags=re.M):
        lines = table.group().splitlines(keepends=True)
        at = table.start() + sum(map(len, lines[:2]))
        for line in lines[2:]:
            first = line.index("|", 1)
            found += [(at + first + number.start(), at + first + number.end()) for number in re.finditer(NUMBER, line[first:])]
            at += len(line)
    return sorted(set(found))
