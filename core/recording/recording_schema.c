/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQL of a recording's tables and views. SQLite keeps these texts in the file as they stand, comments
 * too, so that `.schema` in the sqlite3 shell explains the columns, and the loader can compare a file's
 * schema with ours letter by letter. Once a version has been released its texts never change: a new version
 * adds a list.
 *
 * Columns are narrow and rows flat, since a launch is written a million times: 4 to 6 bytes of time, ids
 * instead of names, durations and leads instead of second times. The views join the names for people.
 */
#include "core/recording/recording_schema.h"

/* clang-format off */
#define TABLE(name, columns) {"table", #name, "CREATE TABLE " #name " (\n" columns ")", false}
#define VIEW(name, query) {"view", #name, "CREATE VIEW " #name " AS\n" query, false}
#define LATER_TABLE(name, columns) {"table", #name, "CREATE TABLE " #name " (\n" columns ")", true}
#define LATER_VIEW(name, query) {"view", #name, "CREATE VIEW " #name " AS\n" query, true}
#define MODES "0: trace, 1: counters, 2: memory, which is counters of one pass, 3: lines, what instructions cost"
#define EVENT_COLUMNS \
    "  id INTEGER PRIMARY KEY, -- counts up over all event tables, in the order of recording\n" \
    "  track INTEGER,          -- track.id\n" \
    "  start_ns INTEGER,       -- since the session's start\n" \
    "  duration_ns INTEGER,\n"
#define CALL_COLUMNS \
    "  call_lead_ns INTEGER,     -- start_ns minus the start of the API call; NULL: not known\n" \
    "  call_duration_ns INTEGER, -- of the API call; 4294967295: that or longer\n" \
    "  call_thread INTEGER,      -- that made the API call\n" \
    "  call_track INTEGER,       -- track.id of the API call that is in this row; NULL: it is not, or in table call\n" \
    "  call_name INTEGER,        -- string.id, and the next three: of the API call that is in this row\n" \
    "  call_domain INTEGER,\n" \
    "  call_context INTEGER,\n" \
    "  call_stream INTEGER,\n"
#define FLAGS_COLUMNS \
    "  correlation INTEGER,\n" \
    "  flags INTEGER -- 1: a whole graph launch, 2: the process ended before it did, 4: an asynchronous copy\n"
#define PROCESS_COLUMNS(modes) \
    "  id INTEGER PRIMARY KEY,\n" \
    "  pid INTEGER,\n" \
    "  parent_pid INTEGER,\n" \
    "  rank INTEGER,    -- of a parallel program; NULL: none\n" \
    "  host INTEGER,    -- string.id\n" \
    "  program INTEGER, -- string.id\n" \
    "  command INTEGER, -- string.id\n" \
    "  role INTEGER,\n" \
    "  mode INTEGER,    -- " modes "\n" \
    "  clock INTEGER,   -- 0: wall, 1: model\n" \
    "  start_ns INTEGER,\n" \
    "  end_ns INTEGER,     -- NULL: not ended\n" \
    "  exit_status INTEGER -- NULL: not known; 128 + n: ended by signal n\n"
#define RUN_COLUMNS(modes) \
    "  id INTEGER PRIMARY KEY,\n" \
    "  process INTEGER,   -- process.id\n" \
    "  device INTEGER,    -- device.id\n" \
    "  run_group INTEGER, -- runs of one group are the same work in different modes\n" \
    "  workload INTEGER,  -- string.id; NULL: a program of the user's\n" \
    "  variant INTEGER,   -- string.id\n" \
    "  params INTEGER,    -- string.id\n" \
    "  program INTEGER,   -- string.id\n" \
    "  mode INTEGER,      -- " modes "\n" \
    "  clock INTEGER,     -- 0: wall, 1: model\n" \
    "  start_ns INTEGER,\n" \
    "  end_ns INTEGER,    -- NULL: not ended\n" \
    "  verified INTEGER,  -- 1: results are right, 0: wrong, NULL: not known\n" \
    "  detail INTEGER,    -- string.id: why not verified\n" \
    "  effective_bytes REAL,    -- bytes the algorithm moves per launch of effective_kernel; 0: it does not say\n" \
    "  effective_kernel INTEGER -- string.id\n"
#define RUNS_VIEW(mode) \
    "SELECT r.id, coalesce(w.text, g.text) AS work, v.text AS variant, q.text AS params,\n" \
    "  " mode " AS mode, iif(r.clock, 'model', 'wall') AS clock, r.start_ns, r.end_ns,\n" \
    "  r.verified, d.text AS detail, r.process, r.device, r.run_group\n" \
    "FROM run r LEFT JOIN string w ON w.id = r.workload LEFT JOIN string g ON g.id = r.program\n" \
    "LEFT JOIN string v ON v.id = r.variant LEFT JOIN string q ON q.id = r.params LEFT JOIN string d ON d.id = r.detail"

/* Four bytes of a blob from `at` on, the least first, as a number: a byte's value is its place among all. */
#define BYTE(blob, at, n) "(instr(every.byte, substr(" blob ", " at " + " n ", 1)) - 1)"
#define WORD(blob, at) "(" BYTE(blob, at, "1") " + " BYTE(blob, at, "2") " * 256 + " BYTE(blob, at, "3") " * 65536 + " \
    BYTE(blob, at, "4") " * 16777216)"
#define EVERY_BYTE \
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" \
    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f" \
    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f" \
    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f" \
    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f" \
    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf" \
    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf" \
    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"

static const struct schema_object objects[] = {
    {"table", "meta", "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID", false},
    TABLE(string,
        "  id INTEGER PRIMARY KEY, -- from 1\n"
        "  text TEXT\n"),
    TABLE(process, PROCESS_COLUMNS(MODES)),
    TABLE(device,
        "  id INTEGER PRIMARY KEY,\n"
        "  process INTEGER, -- process.id whose ordinal it is\n"
        "  ordinal INTEGER,\n"
        "  name TEXT,\n"
        "  chip TEXT,       -- CUPTI's name, GH100\n"
        "  uuid BLOB,\n"
        "  is_model INTEGER,           -- 1: the device model, not a GPU\n"
        "  compute_capability INTEGER, -- 90: 9.0. 0 means not known, here and below\n"
        "  multiprocessors INTEGER,\n"
        "  max_threads_per_multiprocessor INTEGER,\n"
        "  max_blocks_per_multiprocessor INTEGER,\n"
        "  max_threads_per_block INTEGER,\n"
        "  registers_per_multiprocessor INTEGER,\n"
        "  registers_per_block INTEGER,\n"
        "  shared_bytes_per_multiprocessor INTEGER,\n"
        "  shared_bytes_per_block INTEGER,\n"
        "  shared_bytes_per_block_optin INTEGER,\n"
        "  shared_bytes_reserved_per_block INTEGER,\n"
        "  l2_bytes INTEGER,\n"
        "  memory_bus_bits INTEGER,\n"
        "  memory_clock_khz INTEGER,\n"
        "  core_clock_khz INTEGER,\n"
        "  copy_engines INTEGER,\n"
        "  concurrent_kernels INTEGER,\n"
        "  ecc INTEGER,\n"
        "  driver_version INTEGER, -- 13000\n"
        "  memory_bytes INTEGER\n"),
    TABLE(run, RUN_COLUMNS(MODES)),
    TABLE(shape,
        "  id INTEGER PRIMARY KEY,\n"
        "  name INTEGER,    -- string.id: the kernel's name, demangled\n"
        "  mangled INTEGER, -- string.id\n"
        "  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,          -- blocks\n"
        "  block_x INTEGER, block_y INTEGER, block_z INTEGER,       -- threads\n"
        "  cluster_x INTEGER, cluster_y INTEGER, cluster_z INTEGER, -- blocks; 0: none\n"
        "  registers_per_thread INTEGER,\n"
        "  flags INTEGER,   -- 1: cooperative\n"
        "  static_shared_bytes INTEGER,\n"
        "  dynamic_shared_bytes INTEGER,\n"
        "  local_bytes_per_thread INTEGER,\n"
        "  shared_config_bytes INTEGER -- set aside per multiprocessor; 0: not known\n"),
    TABLE(kernel,
        "  id INTEGER PRIMARY KEY,\n"
        "  run INTEGER,      -- run.id\n"
        "  shape INTEGER,    -- shape.id\n"
        "  device INTEGER,   -- device.id\n"
        "  launches INTEGER, -- recorded, also those a size limit has let go\n"
        "  total_ns INTEGER,\n"
        "  min_ns INTEGER,\n"
        "  max_ns INTEGER\n"),
    TABLE(track,
        "  id INTEGER PRIMARY KEY,\n"
        "  kind INTEGER,      -- 0: stream, 1: copy engine, 2: calls, 3: ranges, 4: waits, 5: overhead, 6: replay\n"
        "  clock INTEGER,     -- 0: wall, 1: model\n"
        "  flags INTEGER,     -- of a stream: 1: legacy default, 2: default of a thread, 4: non-blocking\n"
        "  copy_kind INTEGER, -- of a copy engine\n"
        "  process INTEGER,   -- process.id\n"
        "  device INTEGER,    -- device.id; NULL: a track of the CPU\n"
        "  context INTEGER,   -- the process's own ids, also the next two; NULL: the kind has none\n"
        "  stream INTEGER,\n"
        "  thread INTEGER,\n"
        "  priority INTEGER\n"),
    TABLE(measurement,
        "  id INTEGER PRIMARY KEY, -- one launch measured by counters\n"
        "  kernel INTEGER,         -- kernel.id\n"
        "  correlation INTEGER,\n"
        "  context INTEGER,\n"
        "  stream INTEGER,\n"
        "  passes INTEGER,         -- times the kernel was replayed\n"
        "  first_value INTEGER,    -- value.id of its first value\n"
        "  value_count INTEGER,\n"
        "  start_ns INTEGER,       -- of the replay, not of the kernel\n"
        "  end_ns INTEGER\n"),
    TABLE(value,
        "  id INTEGER PRIMARY KEY,\n"
        "  measurement INTEGER, -- measurement.id\n"
        "  counter INTEGER,     -- string.id: CUPTI's metric name\n"
        "  number REAL          -- NULL: not a number\n"),
    TABLE(expected,
        "  id INTEGER PRIMARY KEY,\n"
        "  run INTEGER,         -- run.id\n"
        "  kernel_name INTEGER, -- string.id: plain name\n"
        "  metric INTEGER,      -- string.id: id of the metric\n"
        "  number REAL,         -- NULL: there is none\n"
        "  why INTEGER          -- string.id: why there is none\n"),
    TABLE(notice,
        "  id INTEGER PRIMARY KEY,\n"
        "  time_ns INTEGER,\n"
        "  severity INTEGER, -- 0: information, 1: warning, 2: error\n"
        "  status INTEGER,   -- 0: fine; else what kind of thing went wrong\n"
        "  process INTEGER,  -- process.id; NULL: lanescope itself\n"
        "  text INTEGER      -- string.id\n"),
    {"table", "drop", "CREATE TABLE \"drop\" (\n"
        "  id INTEGER PRIMARY KEY,\n"
        "  time_ns INTEGER,\n"
        "  process INTEGER, -- process.id\n"
        "  kind INTEGER,    -- of event\n"
        "  reason INTEGER,  -- 0: ring full, 1: CUPTI, 2: no time, 3: unknown record, 4: memory\n"
        "  count INTEGER    -- events lost\n)", false},
    TABLE(bookmark,
        "  id INTEGER PRIMARY KEY, -- moments that the user marked\n"
        "  time_ns INTEGER,\n"
        "  clock INTEGER, -- 0: wall, 1: model\n"
        "  text TEXT\n"),
    TABLE(function,
        "  id INTEGER PRIMARY KEY, -- a function of a loaded module\n"
        "  name INTEGER,      -- string.id: demangled\n"
        "  mangled INTEGER,   -- string.id\n"
        "  module INTEGER,    -- CUPTI's CRC of its cubin; 0: not known\n"
        "  size_bytes INTEGER -- 0: not known\n"),
    TABLE(instruction,
        "  id INTEGER PRIMARY KEY,\n"
        "  function INTEGER,  -- function.id\n"
        "  pc_offset INTEGER, -- from the function's start\n"
        "  text INTEGER,      -- string.id; NULL: not disassembled\n"
        "  file INTEGER,      -- string.id: of the source; NULL: no line information\n"
        "  line INTEGER       -- from 1; 0: no line information\n"),
    TABLE(stall,
        "  id INTEGER PRIMARY KEY, -- PC samples of an instruction, for one reason\n"
        "  run INTEGER,            -- run.id\n"
        "  kernel INTEGER,         -- kernel.id; NULL: of any of the function's in the run\n"
        "  instruction INTEGER,    -- instruction.id\n"
        "  reason INTEGER,         -- string.id: CUPTI's name of the stall reason\n"
        "  period_cycles INTEGER,  -- cycles between two samples of a scheduler; 0: not known\n"
        "  samples INTEGER\n"),
    TABLE(instruction_count,
        "  id INTEGER PRIMARY KEY, -- one counter of an instruction\n"
        "  run INTEGER,            -- run.id\n"
        "  kernel INTEGER,         -- kernel.id; NULL: of any of the function's in the run\n"
        "  instruction INTEGER,    -- instruction.id\n"
        "  counter INTEGER,        -- string.id: CUPTI's name of the SASS metric\n"
        "  launches INTEGER,       -- that number is the sum of\n"
        "  number INTEGER\n"),
    TABLE(source,
        "  id INTEGER PRIMARY KEY,\n"
        "  file INTEGER, -- string.id, as in instruction.file\n"
        "  text INTEGER  -- string.id: all of it\n"),
    LATER_TABLE(access,
        "  id INTEGER PRIMARY KEY, -- on the device model, the costliest execution of a memory instruction in a kernel's first launch\n"
        "  run INTEGER,             -- run.id\n"
        "  kernel INTEGER,          -- kernel.id\n"
        "  instruction INTEGER,     -- instruction.id\n"
        "  part INTEGER,            -- of an instruction that ptxas splits\n"
        "  space INTEGER,           -- 0 global, 1 shared, 2 local\n"
        "  width_bytes INTEGER,     -- of a lane\n"
        "  flags INTEGER,           -- 1: store, 2: atomic, 4: compare-and-swap, 8: its cost follows from its addresses alone, 16: through L1, 32: around L1\n"
        "  block INTEGER,           -- number of the block in the grid\n"
        "  warp INTEGER,            -- and of the warp in the block\n"
        "  addresses INTEGER,       -- string.id: of the 32 lanes, hexadecimal; -: an inactive lane\n"
        "  transfers INTEGER,       -- sectors, or wavefronts of shared memory\n"
        "  ideal_transfers INTEGER,\n"
        "  requests INTEGER,        -- of all executions of the instruction in that launch\n"
        "  all_transfers INTEGER,   -- of these\n"
        "  all_ideal_transfers INTEGER\n"),
    LATER_TABLE(stack,
        "  id INTEGER PRIMARY KEY, -- a call path: a frame, and the path of its caller\n"
        "  caller INTEGER, -- stack.id; NULL: none, or not known\n"
        "  name INTEGER,   -- string.id: the function\n"
        "  file INTEGER,   -- string.id: its source file; when line is 0 the program or library that it is in\n"
        "  line INTEGER,   -- from 1; 0: native code, or not known\n"
        "  flags INTEGER   -- 1: code of a library, not of the program\n"),
    LATER_TABLE(launch_site,
        "  id INTEGER PRIMARY KEY, -- what was launched from a call path\n"
        "  run INTEGER,       -- run.id\n"
        "  kernel INTEGER,    -- kernel.id; NULL: a copy or memset\n"
        "  stack INTEGER,     -- stack.id\n"
        "  kind INTEGER,      -- 0: launches, 1: copies, 2: memsets\n"
        "  copy_kind INTEGER, -- of copies, as copy.kind\n"
        "  launches INTEGER,\n"
        "  total_ns INTEGER   -- on the device\n"),
    LATER_TABLE(event_use,
        "  id INTEGER PRIMARY KEY, -- a CUDA event was recorded in a stream, or waited for\n"
        "  process INTEGER,     -- process.id\n"
        "  correlation INTEGER, -- of its call, and of the wait in table sync\n"
        "  use INTEGER,         -- 0: recorded, 1: a stream waits for it, 2: the host waits for it, or asks whether it is over\n"
        "  event INTEGER,       -- the process's own id of the CUDA event\n"
        "  record INTEGER,      -- number of the record, in the process; waits name the one they wait for. 0: not known\n"
        "  context INTEGER,     -- the process's own ids: in which it was recorded, or which waits\n"
        "  stream INTEGER\n"),
    LATER_TABLE(graph_node,
        "  id INTEGER PRIMARY KEY, -- of a graph that was launched an edge, or a node as it ran in the first launch\n"
        "  process INTEGER,     -- process.id\n"
        "  graph INTEGER,       -- as launch.graph\n"
        "  node INTEGER,        -- its number in the graph\n"
        "  dependency INTEGER,  -- of an edge: the node that it waits for; else NULL. Nodes that have edges alone did no work\n"
        "  stream INTEGER,      -- of a node: the process's own id of its stream\n"
        "  start_ns INTEGER     -- of a node; of an edge 0\n"),
    LATER_TABLE(collective,
        "  id INTEGER PRIMARY KEY, -- what NCCL, or another tool's trace, says of a collective; those that NCCL fused have one launch\n"
        "  process INTEGER,      -- process.id\n"
        "  correlation INTEGER,  -- of its launch\n"
        "  communicator INTEGER, -- string.id: equal in all its ranks\n"
        "  function INTEGER,     -- string.id: \"AllReduce\"; NULL: not known\n"
        "  ranks INTEGER,        -- of the communicator; 0: not known\n"
        "  sequence INTEGER,     -- among those of the function in the communicator; NULL: not known\n"
        "  bytes INTEGER         -- of this rank's message; NULL: not known\n"),
    TABLE(series,
        "  id INTEGER PRIMARY KEY, -- a counter of a device that was sampled over time\n"
        "  process INTEGER,     -- process.id that sampled it\n"
        "  device INTEGER,      -- device.id; NULL: not known\n"
        "  name INTEGER,        -- string.id: CUPTI's metric name; of the device model \"model.\" and its own\n"
        "  interval_ns INTEGER, -- asked for\n"
        "  sampling INTEGER,    -- series of one sampling were sampled together\n"
        "  place INTEGER,       -- in the sampling\n"
        "  clock INTEGER,       -- 0: wall, 1: model\n"
        "  flags INTEGER        -- 1: sampled in bursts; between them nothing is known\n"),
    TABLE(sample_time,
        "  id INTEGER PRIMARY KEY, -- when up to 1,024 samples of a sampling were\n"
        "  sampling INTEGER,       -- series.sampling\n"
        "  count INTEGER,          -- of these samples\n"
        "  start_ns INTEGER,       -- of the first\n"
        "  end_ns INTEGER,         -- of the last\n"
        "  times BLOB -- of each 32 bits: ns since start_ns, 32 bits: its duration in ns, little-endian. NULL: equal parts, no gaps\n"),
    TABLE(sample,
        "  id INTEGER PRIMARY KEY, -- sample_time.id * 64 + series.place\n"
        "  series INTEGER,         -- series.id\n"
        "  number REAL,            -- that all of these samples are; NULL: they differ, or are not there\n"
        "  numbers BLOB            -- a 32-bit float of each, little-endian; NaN: not there. NULL: they are all number\n"),
    TABLE(open_launch,
        "  id INTEGER PRIMARY KEY, -- launches called whose kernels had not ended at the last commit\n"
        "  process INTEGER,        -- process.id\n"
        "  track INTEGER,          -- track.id; NULL: not known\n"
        "  shape INTEGER,          -- shape.id; NULL: not known\n"
        "  correlation INTEGER,\n"
        "  thread INTEGER,\n"
        "  call_start_ns INTEGER\n"),
    TABLE(summary,
        "  id INTEGER PRIMARY KEY, -- 4,096 events of a lane, or the rest of it at the end\n"
        "  track INTEGER,          -- track.id\n"
        "  lane INTEGER,           -- events of a lane never overlap\n"
        "  first_index INTEGER,    -- events of the lane before these\n"
        "  events INTEGER,\n"
        "  start_ns INTEGER,\n"
        "  end_ns INTEGER,\n"
        "  busy_ns INTEGER,        -- sum of their durations\n"
        "  longest_ns INTEGER\n"),
    TABLE(launch, EVENT_COLUMNS
        "  kernel INTEGER, -- kernel.id; NULL: not known\n"
        "  graph INTEGER,  -- id of the graph; 0: none\n" CALL_COLUMNS FLAGS_COLUMNS),
    TABLE(copy, EVENT_COLUMNS
        "  kind INTEGER,               -- 1: host to device, 2: device to host, 3: device to device, ...\n"
        "  source_memory INTEGER,      -- 1: pageable, 2: pinned, 3: device, 4: array, 5: managed\n"
        "  destination_memory INTEGER,\n"
        "  size_bytes INTEGER,\n" CALL_COLUMNS FLAGS_COLUMNS),
    TABLE(memset, EVENT_COLUMNS
        "  memory INTEGER, -- as copy.source_memory\n"
        "  size_bytes INTEGER,\n" CALL_COLUMNS FLAGS_COLUMNS),
    TABLE(call, EVENT_COLUMNS
        "  name INTEGER,     -- string.id: cudaMalloc\n"
        "  domain INTEGER,   -- 0: driver, 1: runtime, 2: lanescope's own\n"
        "  category INTEGER, -- 0: other, 1: launch, 2: copy, 3: set, 4: alloc, 5: free, 6: sync, 7: stream\n"
        "  result INTEGER,   -- 0: fine; else the API's error code\n"
        "  context INTEGER,\n"
        "  stream INTEGER,\n" FLAGS_COLUMNS),
    TABLE(range, EVENT_COLUMNS
        "  name INTEGER,   -- string.id\n"
        "  domain INTEGER, -- string.id\n"
        "  color INTEGER,  -- 0xAARRGGBB; 0: none\n"
        "  depth INTEGER,  -- ranges around it\n"
        "  payload REAL,\n" FLAGS_COLUMNS),
    TABLE(sync, EVENT_COLUMNS
        "  kind INTEGER,   -- 1: event, 2: stream, 3: stream waits for event, 4: context\n"
        "  context INTEGER,\n"
        "  stream INTEGER,\n"
        "  thread INTEGER,\n" FLAGS_COLUMNS),
    TABLE(overhead, EVENT_COLUMNS
        "  name INTEGER, -- string.id: what cost the time\n" FLAGS_COLUMNS),
    TABLE(replay, EVENT_COLUMNS
        "  measurement INTEGER, -- measurement.id\n" FLAGS_COLUMNS),

    VIEW(processes,
        "SELECT p.id, p.pid, p.rank, h.text AS host, c.text AS command, p.start_ns, p.end_ns, p.exit_status\n"
        "FROM process p LEFT JOIN string h ON h.id = p.host LEFT JOIN string c ON c.id = p.command"),
    VIEW(runs,
            RUNS_VIEW("CASE r.mode WHEN 0 THEN 'trace' WHEN 1 THEN 'counters' WHEN 2 THEN 'memory' WHEN 3 THEN 'lines' END")),
    VIEW(kernels,
        "SELECT k.id, n.text AS name, r.work, r.variant, r.mode, s.grid_x, s.grid_y, s.grid_z,\n"
        "  s.block_x, s.block_y, s.block_z, s.registers_per_thread, s.dynamic_shared_bytes, k.launches, k.total_ns,\n"
        "  k.total_ns / nullif(k.launches, 0) AS mean_ns, k.min_ns, k.max_ns\n"
        "FROM kernel k LEFT JOIN shape s ON s.id = k.shape LEFT JOIN string n ON n.id = s.name LEFT JOIN runs r ON r.id = k.run"),
    VIEW(tracks,
        "SELECT t.id, CASE t.kind WHEN 0 THEN 'stream' WHEN 1 THEN 'copy engine' WHEN 2 THEN 'calls' WHEN 3 THEN 'ranges'\n"
        "  WHEN 4 THEN 'waits' WHEN 5 THEN 'overhead' WHEN 6 THEN 'replay' END AS kind,\n"
        "  iif(t.clock, 'model', 'wall') AS clock, p.pid, d.name AS device, t.context, t.stream, t.thread, t.priority\n"
        "FROM track t LEFT JOIN process p ON p.id = t.process LEFT JOIN device d ON d.id = t.device"),
    VIEW(launches,
        "SELECT l.id, l.start_ns, l.duration_ns, n.text AS kernel, t.pid, t.stream, l.correlation, l.graph,\n"
        "  l.start_ns - l.call_lead_ns AS call_start_ns, l.call_duration_ns, l.call_thread, l.kernel AS kernel_id, l.track\n"
        "FROM launch l LEFT JOIN kernel k ON k.id = l.kernel LEFT JOIN shape s ON s.id = k.shape\n"
        "LEFT JOIN string n ON n.id = s.name LEFT JOIN tracks t ON t.id = l.track"),
    VIEW(copies,
        "SELECT c.id, c.start_ns, c.duration_ns, CASE c.kind WHEN 1 THEN 'host to device' WHEN 2 THEN 'device to host'\n"
        "  WHEN 3 THEN 'device to device' WHEN 4 THEN 'host to host' WHEN 5 THEN 'peer to peer' WHEN 6 THEN 'host to array'\n"
        "  WHEN 7 THEN 'array to host' WHEN 8 THEN 'array to array' WHEN 9 THEN 'array to device'\n"
        "  WHEN 10 THEN 'device to array' ELSE 'other' END AS kind,\n"
        "  CASE c.source_memory WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned' WHEN 3 THEN 'device' WHEN 4 THEN 'array'\n"
        "  WHEN 5 THEN 'managed' END AS source,\n"
        "  CASE c.destination_memory WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned' WHEN 3 THEN 'device' WHEN 4 THEN 'array'\n"
        "  WHEN 5 THEN 'managed' END AS destination,\n"
        "  c.size_bytes, c.size_bytes * 1e9 / nullif(c.duration_ns, 0) AS bytes_per_second, t.pid, t.stream,\n"
        "  c.start_ns - c.call_lead_ns AS call_start_ns, c.call_duration_ns, c.correlation\n"
        "FROM copy c LEFT JOIN tracks t ON t.id = c.track"),
    VIEW(calls,
        "SELECT c.id, c.start_ns, c.duration_ns, n.text AS name, c.result, t.pid, t.thread, c.correlation\n"
        "FROM (SELECT id, track, start_ns, duration_ns, name, result, correlation FROM call\n"
        "  UNION ALL SELECT id, call_track, start_ns - call_lead_ns, call_duration_ns, call_name, 0, correlation FROM launch\n"
        "  WHERE call_track IS NOT NULL\n"
        "  UNION ALL SELECT id, call_track, start_ns - call_lead_ns, call_duration_ns, call_name, 0, correlation FROM copy\n"
        "  WHERE call_track IS NOT NULL\n"
        "  UNION ALL SELECT id, call_track, start_ns - call_lead_ns, call_duration_ns, call_name, 0, correlation FROM memset\n"
        "  WHERE call_track IS NOT NULL) c\n"
        "LEFT JOIN string n ON n.id = c.name LEFT JOIN tracks t ON t.id = c.track"),
    VIEW(ranges,
        "SELECT r.id, r.start_ns, r.duration_ns, n.text AS name, d.text AS domain, r.depth, t.pid, t.thread\n"
        "FROM range r LEFT JOIN string n ON n.id = r.name LEFT JOIN string d ON d.id = r.domain\n"
        "LEFT JOIN tracks t ON t.id = r.track"),
    VIEW(counters,
        "SELECT v.id, m.id AS measurement, k.name AS kernel, k.work, k.variant, c.text AS counter, v.number\n"
        "FROM value v JOIN measurement m ON m.id = v.measurement LEFT JOIN kernels k ON k.id = m.kernel\n"
        "LEFT JOIN string c ON c.id = v.counter"),
    VIEW(expectations,
        "SELECT e.id, r.work, r.variant, k.text AS kernel, m.text AS metric, e.number, y.text AS why\n"
        "FROM expected e LEFT JOIN runs r ON r.id = e.run LEFT JOIN string k ON k.id = e.kernel_name\n"
        "LEFT JOIN string m ON m.id = e.metric LEFT JOIN string y ON y.id = e.why"),
    VIEW(instructions,
        "SELECT i.id, f.name AS function_name, f.module, i.function, i.pc_offset, t.text, s.text AS file, i.line\n"
        "FROM instruction i LEFT JOIN (SELECT f.id, n.text AS name, f.module FROM function f LEFT JOIN string n ON n.id = f.name) f\n"
        "  ON f.id = i.function LEFT JOIN string t ON t.id = i.text LEFT JOIN string s ON s.id = i.file"),
    VIEW(stalls,
        "SELECT r.text AS reason, s.samples, s.period_cycles, i.function_name, i.pc_offset, i.text, i.file, i.line, k.name AS kernel,\n"
        "  u.work, u.variant, s.run, s.kernel AS kernel_id, s.instruction\n"
        "FROM stall s JOIN instructions i ON i.id = s.instruction LEFT JOIN string r ON r.id = s.reason\n"
        "LEFT JOIN kernels k ON k.id = s.kernel LEFT JOIN runs u ON u.id = s.run"),
    VIEW(instruction_counts,
        "SELECT r.text AS counter, c.number * 1.0 / nullif(c.launches, 0) AS per_launch, c.launches, i.function_name, i.pc_offset,\n"
        "  i.text, i.file, i.line, k.name AS kernel, u.work, u.variant, c.run, c.kernel AS kernel_id, c.instruction\n"
        "FROM instruction_count c JOIN instructions i ON i.id = c.instruction LEFT JOIN string r ON r.id = c.counter\n"
        "LEFT JOIN kernels k ON k.id = c.kernel LEFT JOIN runs u ON u.id = c.run"),
    LATER_VIEW(accesses,
        "SELECT iif(a.space = 1, 'shared', iif(a.space = 2, 'local', 'global')) AS space,\n"
        "  iif(a.flags & 2, 'update', iif(a.flags & 1, 'store', 'load')) AS what, a.width_bytes, a.transfers, a.ideal_transfers,\n"
        "  a.requests, a.all_transfers, a.all_ideal_transfers, i.file, i.line, i.text, a.block, a.warp, t.text AS addresses,\n"
        "  k.name AS kernel, a.run, a.kernel AS kernel_id, a.instruction\n"
        "FROM access a JOIN instructions i ON i.id = a.instruction LEFT JOIN string t ON t.id = a.addresses\n"
        "LEFT JOIN kernels k ON k.id = a.kernel"),
    LATER_VIEW(stacks,
        "WITH RECURSIVE outward(stack, depth, at) AS (SELECT id, 0, id FROM stack\n"
        "  UNION ALL SELECT o.stack, o.depth + 1, s.caller FROM outward o JOIN stack s ON s.id = o.at\n"
        "  WHERE s.caller IS NOT NULL AND o.depth < 64)\n"
        "SELECT o.stack, o.depth, n.text AS name, f.text AS file, s.line\n"
        "FROM outward o JOIN stack s ON s.id = o.at LEFT JOIN string n ON n.id = s.name LEFT JOIN string f ON f.id = s.file"),
    LATER_VIEW(launch_sites,
        "SELECT l.id, CASE l.kind WHEN 0 THEN 'launch' WHEN 1 THEN 'copy' WHEN 2 THEN 'memset' END AS kind, k.name AS kernel,\n"
        "  f.text AS file, s.line, n.text AS name, l.launches, l.total_ns, l.stack, l.run, l.kernel AS kernel_id\n"
        "FROM launch_site l JOIN stack s ON s.id = l.stack LEFT JOIN string n ON n.id = s.name\n"
        "LEFT JOIN string f ON f.id = s.file LEFT JOIN kernels k ON k.id = l.kernel"),
    /* The joins must stay in this order: a series' own rows by their ids, each decoded once. A subquery with LIMIT is evaluated once, while a column that is named ten times would be evaluated ten times. */
    VIEW(samples,
        "WITH RECURSIVE every(byte) AS (SELECT x'" EVERY_BYTE "'),\n"
        "nth(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM nth WHERE i < 1023)\n"
        "SELECT r.id AS series, n.text AS name, r.process, r.device, iif(r.clock, 'model', 'wall') AS clock,\n"
        "  t.start_ns + iif(t.times IS NULL, nth.i * ((t.end_ns - t.start_ns) / t.count),\n"
        "    " WORD("t.times", "nth.i * 8") ") AS start_ns,\n"
        "  iif(t.times IS NULL, (t.end_ns - t.start_ns) / t.count,\n"
        "    " WORD("t.times", "nth.i * 8 + 4") ") AS duration_ns,\n"
        "  iif(s.numbers IS NULL, s.number, (SELECT CASE WHEN e < 255 THEN (1 - 2 * (b >> 31)) * (m *\n"
        "    iif(k >= 0, 1.0 * (1 << min(k, 52)) * (1 << max(k - 52, 0)),\n"
        "      1.0 / (1 << min(-k, 60)) / (1 << min(max(-k - 60, 0), 60)) / (1 << max(-k - 120, 0)))) END\n"
        "    FROM (SELECT b, e, max(e, 1) - 150 AS k, iif(e, b & 8388607 | 8388608, b & 8388607) AS m\n"
        "    FROM (SELECT b, (b >> 23) & 255 AS e FROM (SELECT\n"
        "      " WORD("s.numbers", "nth.i * 4") " AS b\n"
        "    LIMIT 1) LIMIT 1) LIMIT 1))) AS number\n"
        "FROM every CROSS JOIN series r CROSS JOIN sample_time t ON t.sampling = r.sampling\n"
        "CROSS JOIN sample s ON s.id = t.id * 64 + r.place CROSS JOIN nth ON nth.i < t.count LEFT JOIN string n ON n.id = r.name"),
    VIEW(notices,
        "SELECT n.id, n.time_ns, CASE n.severity WHEN 0 THEN 'information' WHEN 1 THEN 'warning' ELSE 'error' END AS severity,\n"
        "  p.pid, t.text\n"
        "FROM notice n LEFT JOIN process p ON p.id = n.process LEFT JOIN string t ON t.id = n.text"),
};
/* clang-format on */

const struct schema_object *recording_schema(size_t *count)
{
    *count = sizeof objects / sizeof objects[0];
    return objects;
}
