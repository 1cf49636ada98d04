#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes traces as other tools do, for tests of core/import: to their published schemas, with names, times, streams and processes
of its own, and prints what is in them.

    make_trace.py nsys OUT --release 2022.2 [--launches N] [--processes P] [--seed S] [--repeat R]
    make_trace.py kineto OUT --release 2.6 [--launches N] [--gzip] [--repeat R]
    make_trace.py rocpd OUT --release 3.0|4.0|4.1|2 [--launches N] [--processes P]

Prints JSON: per kind the number of events and the sum of their ns. A training loop is played: per step a range, copies to the
device, kernels on two streams, every eighth step a synchronisation, and one graph launch. --repeat plays it R times, one after
the other, for traces of any size.
"""
import argparse
import gzip
import json
import random
import sqlite3

# Of each table the columns of the oldest release, then what a release added (and which column it renamed or dropped).
KERNEL = ("start end deviceId contextId streamId correlationId globalPid demangledName shortName launchType cacheConfig "
          "registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread "
          "localMemoryTotal gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig").split()
COPY = ("start end deviceId contextId streamId correlationId globalPid bytes copyKind deprecatedSrcId srcKind dstKind srcDeviceId "
        "srcContextId dstDeviceId dstContextId migrationCause graphNodeId").split()
SET = "start end deviceId contextId streamId correlationId globalPid value bytes graphNodeId memKind".split()
SYNC = "start end deviceId contextId streamId correlationId globalPid syncType eventId".split()
CALL = "start end eventClass globalTid correlationId nameId returnValue callchainId".split()
RANGE = ("start end eventType rangeId category color text globalTid endGlobalTid textId domainId uint64Value int64Value doubleValue "
         "uint32Value int32Value floatValue jsonTextId jsonText").split()
OSRT = "start end eventClass globalTid correlationId nameId returnValue nestingLevel callchainId".split()
GRAPH = "start end deviceId contextId streamId correlationId globalPid graphId graphExecId".split()
RELEASES = {"2021": 0, "2022.2": 1, "2024.5": 2, "2025.1": 3, "2026.1": 4, "2027.0": 5}
ADDED = {  # release number -> table -> columns
    1: {"KERNEL": ["mangledName"], "MEMCPY": ["virtualAddress"]},
    2: {"KERNEL": ["greenContextId"], "MEMCPY": ["greenContextId"], "MEMSET": ["greenContextId"], "SYNCHRONIZATION": ["greenContextId"]},
    3: {"SYNCHRONIZATION": ["deprecatedSyncType", "eventSyncId"]},
    4: {"KERNEL": ["graphId", "clusterX", "clusterY", "clusterZ", "tensorSizeMinusOneElements"], "MEMCPY": ["copyCount"]},
    5: {"KERNEL": ["aColumnThatNobodyKnows"], "RUNTIME": ["another"]},
}
NAMES = ["void ns::relax<float, 4>(float*, int)", "ampere_sgemm_128x64_tn", "void reduce_kernel<512, add>(Reduce)", "layer_norm"]


class Counts:
    def __init__(self):
        self.of = {}

    def add(self, kind, start, end):
        entry = self.of.setdefault(kind, {"count": 0, "ns": 0})
        entry["count"] += 1
        entry["ns"] += max(0, end - start)

    def repeat(self, times):
        for entry in self.of.values():
            entry["count"] *= times
            entry["ns"] *= times


def loop(options, rng):
    """Yields (kind, start, end, process, fields) in no order of time."""
    for process in range(options.processes):
        now, correlation, free = 1_000_000 + 777 * process, 1, {7: 0, 13: 0}
        for step in range(options.launches // 8):
            begin = now
            for i in range(9):
                correlation += 1
                stream = 13 if i == 3 else 7
                kind = "copy" if i == 0 else "graph" if i == 8 and step % 16 == 0 else "kernel"
                call_end = now + rng.randrange(3000, 9000)
                started = max(call_end + rng.randrange(500, 3000), free[stream])
                ended = started + rng.randrange(2000, 90000)
                free[stream] = ended + 800
                yield "call", now, call_end, process, {"correlation": correlation, "name":
                      {"copy": "cudaMemcpyAsync_v3020", "graph": "cudaGraphLaunch_v10000"}.get(kind, "cudaLaunchKernel_v7000")}
                yield kind, started, ended, process, {"correlation": correlation, "stream": stream, "name": (i + step) % len(NAMES)}
                now = call_end + rng.randrange(500, 4000)
            if step % 8 == 7:
                correlation += 1
                waited = max(max(free.values()), now) + 2000
                yield "call", now, waited, process, {"correlation": correlation, "name": "cudaDeviceSynchronize_v3020"}
                yield "sync", now + 300, waited - 200, process, {"correlation": correlation, "stream": 0}
                now = waited + 3000
            if step % 32 == 5:
                yield "migration", now, now + 5000, process, {}
            yield "range", begin, now, process, {"name": "step %d" % step}
            yield "range", begin + 10, begin + 500, process, {"name": "aten::add_, seq = %d, op_id = %d" % (step, correlation)}


def write_nsys(options, counts):
    release = RELEASES[options.release]
    database = sqlite3.connect(options.out)
    database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
    columns = {"KERNEL": list(KERNEL), "MEMCPY": list(COPY), "MEMSET": list(SET), "SYNCHRONIZATION": list(SYNC), "RUNTIME": list(CALL),
               "NVTX_EVENTS": list(RANGE), "GRAPH_TRACE": list(GRAPH), "OSRT_API": list(OSRT)}
    for number in range(1, release + 1):
        for table, more in ADDED[number].items():
            columns[table] += more
    strings = {}

    def string(text):
        return strings.setdefault(text, len(strings) + 100)

    def full(table):
        return table if table in ("NVTX_EVENTS", "OSRT_API") else "CUPTI_ACTIVITY_KIND_" + table

    def insert(table, rows):
        if not rows:
            return
        named = columns[table]
        if not has[table]:  # tables exist only if they have rows
            database.execute("CREATE TABLE %s (%s)" % (full(table), ", ".join('"%s" INTEGER' % c for c in named)))
            has[table] = True
        database.executemany("INSERT INTO %s VALUES (%s)" % (full(table), ",".join("?" * len(named))),
                             [[row.get(c) for c in named] for row in rows])
        rows.clear()

    has = dict.fromkeys(columns, False)
    rows = {table: [] for table in columns}
    base = 60_000_000_000
    for kind, start, end, process, f in loop(options, random.Random(options.seed)):
        counts.add(kind, start, end)
        pid = 4000 + process
        packed = 1 << 48 | pid << 24
        work = {"start": base + start, "end": base + end, "deviceId": process, "contextId": 1, "streamId": f.get("stream"),
                "correlationId": f.get("correlation"), "globalPid": packed}
        if kind == "kernel":
            name = string(NAMES[f["name"]])
            rows["KERNEL"].append(dict(work, demangledName=name, shortName=name, mangledName=name, registersPerThread=32, gridX=640,
                                       gridY=1 + f["name"], gridZ=1, blockX=128, blockY=1, blockZ=1, staticSharedMemory=1024,
                                       dynamicSharedMemory=0, localMemoryPerThread=0, gridId=1, tensorSizeMinusOneElements="[]"))
        elif kind == "copy":
            rows["MEMCPY"].append(dict(work, bytes=65536, copyKind=1, srcKind=1, dstKind=2, copyCount=1))
        elif kind == "migration":
            rows["MEMCPY"].append(dict(work, streamId=0, correlationId=0, bytes=65536, copyKind=11, srcKind=4, dstKind=4))
        elif kind == "graph":
            rows["GRAPH_TRACE"].append(dict(work, graphId=3, graphExecId=4))
        elif kind == "sync":
            rows["SYNCHRONIZATION"].append(dict(work, syncType=4, eventId=0))
        elif kind == "call":
            rows["RUNTIME"].append(dict(work, eventClass=0, globalTid=packed | pid, nameId=string(f["name"]), returnValue=0))
            if f["correlation"] % 5 == 0:  # a call of the operating system behind it, and one of a process without CUDA
                rows["OSRT_API"].append(dict(work, start=base + end + 20, end=base + end + 400, globalTid=packed | pid, nameId=string("poll")))
                rows["OSRT_API"].append(dict(work, globalTid=1 << 48 | 9999 << 24 | 9999, nameId=string("read")))
                counts.add("range", end + 20, end + 400)
        else:
            by_id = len(strings) % 2 == 0
            rows["NVTX_EVENTS"].append(dict(work, eventType=59, globalTid=packed | pid, text=None if by_id else f["name"],
                                            textId=string(f["name"]) if by_id else None, domainId=0))
        for table in rows:
            if len(rows[table]) > 50000:
                insert(table, rows[table])
    for table in rows:
        insert(table, rows[table])
    database.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, text) for text, number in strings.items()])
    if release >= 1:
        meta = "EXPORT_META_DATA" if release == 1 else "META_DATA_EXPORT"
        database.execute("CREATE TABLE %s (name TEXT NOT NULL, value TEXT)" % meta)
        database.executemany("INSERT INTO %s VALUES (?, ?)" % meta, [("EXPORT_PRODUCT_VERSION", options.release + ".1.7"),
                                                                    ("EXPORT_SCHEMA_VERSION", "3.%d.0" % release)])
        database.execute("CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)")
        database.executemany("INSERT INTO PROCESSES VALUES (?, ?, ?)",
                             [(1 << 48 | (4000 + p) << 24, 4000 + p, "trainer") for p in range(options.processes)])
        database.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)")
        database.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000)")
        database.execute("CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER)")
        database.executemany("INSERT INTO TARGET_INFO_GPU VALUES (?, 'NVIDIA Test 100', 132, 9, 0)", [(p,) for p in range(options.processes)])
    else:
        database.execute("CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INTEGER, name TEXT, numMultiprocessors INTEGER, "
                         "computeCapabilityMajor INTEGER, computeCapabilityMinor INTEGER)")
        database.execute("INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'NVIDIA Test 70', 80, 7, 0)")
    last = base
    for table in rows:
        if has[table]:
            last = max(last, database.execute('SELECT max("end") FROM ' + full(table)).fetchone()[0])
    for table in rows:
        repeated = {"start": "start + ?1 * %d" % (last - base), "end": '"end" + ?1 * %d' % (last - base),
                    "correlationId": "CASE correlationId WHEN 0 THEN 0 ELSE correlationId + ?1 * %d END" % (2 * options.launches)}
        selected = ", ".join(repeated.get(c, '"%s"' % c) for c in columns[table])
        if not has[table]:
            continue
        count = database.execute("SELECT count(*) FROM " + full(table)).fetchone()[0]
        for i in range(1, options.repeat):
            database.execute("INSERT INTO %s SELECT %s FROM %s WHERE rowid <= %d" % (full(table), selected, full(table), count), (i,))
    counts.repeat(options.repeat)
    database.commit()
    database.close()


def write_kineto(options, counts):
    old = options.release == "1.8"
    names = {"kernel": "Kernel", "copy": "Memcpy", "call": "Runtime", "range": "Operator"} if old else {
        "kernel": "kernel", "copy": "gpu_memcpy", "call": "cuda_runtime", "range": "cpu_op"}
    base = 1_610_366_662_000_000_000 if options.release in ("1.8", "1.12", "2.3") else 4_458_676_000_000

    def us(ns, relative=True):
        ns = ns + (base if relative else 0)
        return "%d" % (ns // 1000) if options.release in ("1.8", "1.12") else "%d.%03d" % (ns // 1000, ns % 1000)

    out = (gzip.open if options.gzip else open)(options.out, "wt")
    head = {"schemaVersion": 1}
    if not old:
        head["distributedInfo"] = {"backend": "nccl", "rank": 5, "world_size": 8}
        head["deviceProperties"] = [{"id": 0, "name": "NVIDIA Test 80", "computeMajor": 8, "computeMinor": 0, "numSms": 108, "warpSize": 32}]
    if options.release == "2.6":
        head["baseTimeNanoseconds"] = 1_711_964_646_000_000_000
    out.write(json.dumps(head)[:-1] + ',\n  "traceEvents": [\n')
    correct = options.release in ("1.8", "1.12")
    last = 0
    lines = []
    for kind, start, end, _, f in loop(options, random.Random(options.seed)):
        last = max(last, end // 1000 * 1000 + 1000)
        if kind == "sync" or kind == "migration":
            continue
        if kind == "graph":
            kind = "kernel"
        if correct:  # these releases have whole us
            end = end // 1000 * 1000
            start = start // 1000 * 1000
        counts.add(kind, start, end)
        name = f["name"] if isinstance(f["name"], str) else NAMES[f["name"]]
        name = name.split("_v")[0] if kind == "call" else "Memcpy HtoD (Pinned -> Device)" if kind == "copy" else name
        args = {"External id": 1}
        if kind in ("kernel", "copy"):
            args.update(device=0, context=1, stream=f["stream"], correlation=f["correlation"])
        if kind == "kernel":
            args.update({"registers per thread": 40, "shared memory": 0, "grid": [640, 1 + f["name"], 1], "block": [128, 1, 1]})
        if kind == "copy":
            args["bytes"] = 65536
        if kind == "call":
            args.update(cbid=211, correlation=f["correlation"])
        device = kind in ("kernel", "copy")
        tid = '"stream %d"' % f["stream"] if device and old else str(f["stream"]) if device else '"4711"' if old else "4711"
        lines.append(('  {"ph": "X", "cat": "%s", "name": %s, "pid": %s, "tid": %s, "ts": %%s, "dur": %s,\n    "args": %s}' % (
            names[kind], json.dumps(name).replace("%", "%%"), "0" if device else "4711", tid, us(end - start, False),
            json.dumps(args).replace("%", "%%")), start))
    for i in range(options.repeat):
        out.write((",\n" if i else "") + ",\n".join(line % us(start + i * last) for line, start in lines))
    counts.repeat(options.repeat)
    out.write('\n  ],\n  "traceName": "test"\n}\n')
    out.close()


ROCPD = {
    "metadata": "tag value", "string": "string", "info_node": "hostname", "info_process": "nid pid command",
    "info_thread": "nid pid tid", "info_agent": "type type_index name product_name extdata",
    "info_kernel_symbol": "kernel_name display_name arch_vgpr_count", "event": "category_id stack_id correlation_id extdata",
    "region": "name_id event_id", "memory_copy": "name_id dst_agent_id src_agent_id size event_id",
    "kernel_dispatch": "kernel_id group_segment_size workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x grid_size_y "
                       "grid_size_z event_id"}
WHO, WHERE = "nid pid tid", "agent_id queue_id stream_id"


def rocpd_tables(database, release, guids):
    tables = {name: columns.split() for name, columns in ROCPD.items()}
    if release == "4.0":
        tables["timestamp"] = ["value"]
    if release[0] == "4":
        tables["track"] = (WHO + " " + WHERE).split()
    for name in ("region", "memory_copy", "kernel_dispatch"):
        where = [] if name == "region" else WHERE.split()
        tables[name] += ["track_id"] if release[0] == "4" else WHO.split() + where
        tables[name] += ["start_id", "end_id"] if release == "4.0" else ["start", "end"]
    for name, columns in tables.items():
        for guid in guids:
            database.execute("CREATE TABLE [rocpd_%s_%s] (id INTEGER PRIMARY KEY, guid, %s)" % (
                name, guid, ", ".join("[%s]" % column for column in columns)))
        database.execute("CREATE VIEW [rocpd_%s] AS %s" % (name, " UNION ALL ".join(
            "SELECT * FROM [rocpd_%s_%s]" % (name, guid) for guid in guids)))


def write_rocpd(options, counts):
    database = sqlite3.connect(options.out)
    if options.release == "2":
        return write_rocpd_data(database, options, counts)
    guids = ["0000%04x_aa" % process for process in range(options.processes)]
    rocpd_tables(database, options.release, guids)
    ids, texts = {}, {}

    def add(table, process, **values):
        key = (table, process)
        ids[key] = ids.get(key, 0) + 1
        values = dict(values, id=ids[key], guid=guids[process])
        database.execute("INSERT INTO [rocpd_%s_%s] (%s) VALUES (%s)" % (
            table, guids[process], ", ".join("[%s]" % key for key in values), ", ".join("?" * len(values))), list(values.values()))
        return ids[key]

    def text(process, string):
        if (process, string) not in texts:
            texts[process, string] = add("string", process, string=string)
        return texts[process, string]

    for process in range(options.processes):
        add("metadata", process, tag="schema_version", value=options.release)
        add("info_node", process, hostname="node7")
        add("info_process", process, nid=1, pid=4000 + process, command="./bin/train -n 3")
        add("info_thread", process, nid=1, pid=1, tid=4100 + process)
        add("info_agent", process, type="CPU", type_index=0)
        add("info_agent", process, type="GPU", type_index=0, name="gfx942", product_name="AMD Test 300", extdata=json.dumps({"cu_count": 304}))
        for name in NAMES:
            add("info_kernel_symbol", process, kernel_name=name + ".kd", display_name=name, arch_vgpr_count=64)
    for kind, start, end, process, f in loop(options, random.Random(options.seed)):
        if kind in ("sync", "migration", "graph") or end < start:
            continue
        counts.add(kind, start, end)
        category = {"call": "HIP_RUNTIME_API_EXT", "range": "MARKER_CORE_RANGE_API"}.get(kind, "KERNEL_DISPATCH")
        event = add("event", process, category_id=text(process, category), stack_id=f.get("correlation", 0), correlation_id=0,
                    extdata=json.dumps({"message": f["name"]}) if kind == "range" else "{}")
        name = "MEMORY_COPY_HOST_TO_DEVICE" if kind == "copy" else f["name"].split("_v")[0].replace("cuda", "hip") if kind == "call" else "roctxRangePushA"
        values = {"event_id": event}
        who = {"nid": 1, "pid": 1, "tid": 1}
        if kind in ("kernel", "copy"):
            who.update(agent_id=2, queue_id=1, stream_id=f["stream"])
        if options.release[0] == "4":
            who = {"track_id": add("track", process, **who)}
        values.update(who)
        if options.release == "4.0":
            values.update(start_id=add("timestamp", process, value=start), end_id=add("timestamp", process, value=end))
        else:
            values.update(start=start, end=end)
        if kind == "kernel":
            add("kernel_dispatch", process, kernel_id=1 + f["name"], group_segment_size=0, workgroup_size_x=128, workgroup_size_y=1,
                workgroup_size_z=1, grid_size_x=640 * 128, grid_size_y=1, grid_size_z=1, **values)
        elif kind == "copy":
            add("memory_copy", process, name_id=text(process, name), src_agent_id=1, dst_agent_id=2, size=65536, **values)
        else:
            add("region", process, name_id=text(process, name), **values)
    database.commit()


def write_rocpd_data(database, options, counts):
    for name, columns in {"metadata": "tag value", "string": "string", "op": "gpuId queueId sequenceId start end description_id opType_id",
                          "api": "pid tid start end apiName_id args_id", "api_ops": "api_id op_id", "copyapi": "api_ptr_id size",
                          "kernelapi": "api_ptr_id gridX gridY gridZ workgroupX workgroupY workgroupZ groupSegmentSize kernelName_id"}.items():
        key = "" if "api_ptr_id" in columns else "id INTEGER PRIMARY KEY, "
        database.execute("CREATE TABLE rocpd_%s (%s%s)" % (name, key, ", ".join("[%s]" % column for column in columns.split())))
    database.execute("INSERT INTO rocpd_metadata (tag, value) VALUES ('schema_version', '2')")
    texts = {}

    def text(string):
        if string not in texts:
            texts[string] = database.execute("INSERT INTO rocpd_string (string) VALUES (?)", [string]).lastrowid
        return texts[string]

    for kind, start, end, process, f in loop(options, random.Random(options.seed)):
        if kind in ("sync", "migration", "graph") or end < start:
            continue
        counts.add(kind, start, end)
        if kind in ("call", "range"):
            name, args = ("UserMarker", f["name"]) if kind == "range" else (f["name"].split("_v")[0].replace("cuda", "hip"), "")
            database.execute("INSERT INTO rocpd_api (pid, tid, start, end, apiName_id, args_id) VALUES (?, 1, ?, ?, ?, ?)",
                             [4000 + process, start, end, text(name), text(args)])
        else:
            what, name = ("CopyHostToDevice", "") if kind == "copy" else ("KernelExecution", NAMES[f["name"]])
            database.execute("INSERT INTO rocpd_op (gpuId, queueId, sequenceId, start, end, description_id, opType_id) "
                             "VALUES (0, ?, 0, ?, ?, ?, ?)", [f["stream"], start, end, text(name), text(what)])
    database.commit()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("format", choices=["nsys", "kineto", "rocpd"])
    parser.add_argument("out")
    parser.add_argument("--release", required=True)
    parser.add_argument("--launches", type=int, default=400)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--gzip", action="store_true")
    options = parser.parse_args()
    counts = Counts()
    {"nsys": write_nsys, "kineto": write_kineto, "rocpd": write_rocpd}[options.format](options, counts)
    print(json.dumps(counts.of))


main()
