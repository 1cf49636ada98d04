# SPDX-License-Identifier: Apache-2.0
"""mcp.py LANESCOPE FOLDER: `lanescope mcp` speaks the protocol, every tool answers what its shell command prints, wrong arguments get a sentence, and no
answer is longer than is said. FOLDER: tests/data. Without libjansson: the sentence alone."""
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ANSWER_BYTES = 16000
NEWEST = "2026-07-28"
LANESCOPE, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
H200, MODEL, LINES = (f"{DATA}/{name}.lsr" for name in ("h200", "loop_model", "lines_h200"))
failures = 0


def complain(text):
    global failures
    failures += 1
    print(text)


class Server:
    def __init__(self):
        self.process = subprocess.Popen([LANESCOPE, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.number = 0

    def line(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params=None, **more):
        self.number += 1
        answer = self.line(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**(params or {}), **more}}))
        if answer.get("id") != self.number or answer.get("jsonrpc") != "2.0":
            complain(f"{method}: {answer}")
        return answer

    def call(self, name, arguments):
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        if len(text.encode()) > ANSWER_BYTES + 300:
            complain(f"{name} {arguments}: {len(text.encode())} bytes")
        return json.loads(text), result["isError"]

    def end(self):
        self.process.stdin.close()
        if self.process.wait(30) != 0:
            complain(f"ended with {self.process.returncode}: {self.process.stderr.read()}")


def check_protocol(server):
    for asked, got in (("2024-11-05",) * 2, ("2025-06-18",) * 2, ("2025-11-25",) * 2, ("1999-01-01", "2025-11-25")):
        if server.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={})["result"]["protocolVersion"] != got:
            complain(f"initialize {asked} does not give {got}")
    meta = {"io.modelcontextprotocol/protocolVersion": NEWEST}
    if server.ask("server/discover", _meta=meta)["result"]["supportedVersions"] != [NEWEST]:
        complain("server/discover")
    if server.ask("tools/list", _meta=meta)["result"]["resultType"] != "complete":
        complain("a request without a handshake")
    for text, code in (("{", -32700), ('{"jsonrpc": "2.0", "id": 1}', -32600), ("[]", -32600), ('{"id": {}, "method": "ping"}', -32600),
                       ('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
                       ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none"}}', -32602),
                       ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "x"}}}', -32022)):
        if server.line(text)["error"]["code"] != code:
            complain(f"{text}: not {code}")
    # A notification has no answer, and the next line is the answer of the next request.
    server.process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    if server.ask("ping")["result"] != {}:
        complain("ping")
    batch = server.line('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}]')
    if [answer["id"] for answer in batch] != [1, 2]:
        complain(f"batch: {batch}")


def check_answer(name, arguments, answer):
    """What the answer says is what its shell command prints; names and rows are there."""
    words = shlex.split(answer["command"])
    if words[0] != "lanescope" or answer["exit_status"] not in (0, 1):
        complain(f"{name}: {answer['command']} ends with {answer['exit_status']}")
    if name == "model_run":
        return
    printed = subprocess.run([LANESCOPE, *words[1:]], stdout=subprocess.PIPE, check=False, encoding="utf-8").stdout
    try:
        printed = json.loads(printed)
    except ValueError:
        pass
    if "cut" not in answer and printed != answer["answer"]:
        complain(f"{name} {arguments}: {answer['command']} prints something else")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def check_keeper(server, folder):
    """One process keeps the recording that was asked for last: it serves the next questions, not another file of the same name, and its end is no end of
    the server's. What cannot be loaded, or is still written to, is kept by none."""
    path, pid = f"{folder}/kept.lsr", server.process.pid
    seen = []
    for source, change in ((H200, None), (H200, None), (LINES, "replaced"), (LINES, "killed"), (MODEL, "replaced")):
        if change == "killed":
            os.kill(children(pid)[0], signal.SIGKILL)
        elif change == "replaced" or not seen:
            shutil.copy(source, f"{path}.new")
            os.rename(f"{path}.new", path)
        answer, failed = server.call("kernels", {"file": path})
        if failed or answer["answer"]["rows"] != server.call("kernels", {"file": source})[0]["answer"]["rows"]:
            complain(f"kernels of {source}, {change}: {answer}")
        server.call("kernels", {"file": path})
        seen.append(children(pid))
        if len(seen[-1]) != 1:
            complain(f"{change}: {len(seen[-1])} processes keep recordings")
    kept = children(pid)
    server.call("runs", {"file": path})
    server.call("diff", {"a": H200, "b": path, "rows": 3})
    if children(pid) != kept:
        complain("a second question, or a comparison with the kept recording, began another process")
    with open(path, "wb") as file:
        file.write(b"SQLite format 3\0" + bytes(4096))
    answer, failed = server.call("kernels", {"file": path})
    if not failed or children(pid):
        complain(f"a damaged recording: {answer}, {children(pid)}")
    shutil.copy(H200, path)
    with open(f"{path}-wal", "wb"):
        answer, failed = server.call("kernels", {"file": path})
    if failed or children(pid):
        complain(f"a recording that is still written to is kept: {answer}")


def main():
    server = Server()
    first = server.process.stdout if server.process.poll() is not None else None
    if first is None:
        try:
            server.ask("ping")
        except (ValueError, BrokenPipeError):
            said = server.process.stderr.read()
            print(said)
            sys.exit(0 if "libjansson" in said else 1)
    check_protocol(server)
    tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
    with tempfile.TemporaryDirectory() as folder:
        asked = {"verdict": {"file": H200}, "runs": {"file": H200, "rows": 200}, "what_if": {"file": MODEL, "edits": "launches"}, "kernels": {"file": H200},
                 "metrics": {"file": H200, "kernel": "chunk"}, "lines": {"file": LINES}, "lanes": {"file": H200}, "ranges": {"file": H200},
                 "diff": {"a": H200, "b": LINES, "rows": 3}, "check": {"file": MODEL}, "ranks": {"file": f"{DATA}/ranks/host_h200.lsj"},
                 "table": {"file": H200, "table": "time", "rows": 200}, "explain": {"word": "sector"},
                 "model_run": {"workloads": ["transpose:naive"], "recording": f"{folder}/a.lsr", "check": True}}
        if set(asked) != set(tools):
            complain(f"tools: {sorted(set(asked) ^ set(tools))}")
        for name, arguments in asked.items():
            answer, failed = server.call(name, arguments)
            if failed:
                complain(f"{name} {arguments}: {answer}")
            else:
                check_answer(name, arguments, answer)
            if tools[name]["annotations"]["readOnlyHint"] != (name != "model_run") or str(ANSWER_BYTES) not in tools[name]["description"]:
                complain(f"{name} does not say what it changes, or how long its answers are")
        if not os.path.exists(f"{folder}/a.lsr"):
            complain("model_run recorded nothing")
        check_keeper(server, folder)
        for name, arguments, says in (
                ("verdict", {}, "needs the argument file"), ("verdict", {"file": 5}, "of type string"), ("verdict", {"file": ""}, "of type string"),
                ("verdict", {"file": "a\0b"}, "of type string"), ("verdict", {"file": "--version"}, "begins with a dash"),
                ("verdict", {"file": "/none.lsr"}, "no file"), ("runs", {"file": H200, "rows": 0}, "from 1 to 200"),
                ("runs", {"file": H200, "rows": 201}, "from 1 to 200"), ("kernels", {"file": H200, "kernel": "none*"}, "No kernel"),
                ("kernels", {"file": H200, "nothing": 1}, "has no argument"), ("what_if", {"file": H200, "edits": "none"}, "no edit"),
                ("table", {"file": H200, "table": "none"}, "no table"), ("model_run", {}, "either a program or workloads"),
                ("model_run", {"workloads": ["--help"]}, "begins with a dash"), ("model_run", {"workloads": ["none"]}, "none")):
            answer, failed = server.call(name, arguments)
            if not failed or says not in answer["error"]:
                complain(f"{name} {arguments}: {answer}")
    server.end()
    sys.exit(1 if failures else 0)


main()
