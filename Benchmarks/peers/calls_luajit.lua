-- LuaJIT's FFI calling the functions of callee.h. usage: luajit calls_luajit.lua CALLEE.so; prints "row nanoseconds".
local ffi = require("ffi")

ffi.cdef([[
  typedef struct { const char *data; size_t length; } text_t;
  typedef struct { double x, y; } point_t;
  int32_t add(int32_t left, int32_t right);
  uint64_t length_of(text_t text);
  point_t middle(point_t from, point_t to);
  int32_t apply(int32_t (*function)(int32_t), int32_t number);
  struct timespec { long seconds, nanoseconds; };
  int clock_gettime(int clock, struct timespec *time);
]])
local library = ffi.load(arg[1])
local ROUNDS, BATCH, THREAD_CPU_TIME = 60, 200000, 3

local function now()
  local time = ffi.new("struct timespec")
  ffi.C.clock_gettime(THREAD_CPU_TIME, time)
  return tonumber(time.seconds) * 1e9 + tonumber(time.nanoseconds)
end

-- Each row has its own loop, so that the compiler makes a trace of each.
local function report(row, batch, loop)
  loop(batch)
  local times = {}
  for round = 1, ROUNDS do
    local start = now()
    loop(batch)
    times[round] = (now() - start) / batch
  end
  table.sort(times)
  print(string.format("%s %.2f", row, times[ROUNDS / 2]))
end

local data = "twelve bytes"
local text = ffi.new("text_t", data, #data)
local here, there = ffi.new("point_t", 0, 0), ffi.new("point_t", 2, 4)
local same = ffi.cast("int32_t (*)(int32_t)", function(number) return number end)
assert(library.add(1, 2) == 3 and library.length_of(text) == 12 and library.middle(here, there).y == 2)
assert(library.apply(same, 7) == 7)

report("int", BATCH, function(count)
  local sum = 0
  for i = 1, count do sum = sum + library.add(i, 1) end
  return sum
end)
report("text", BATCH, function(count)
  local sum = 0
  for i = 1, count do sum = sum + tonumber(library.length_of(text)) end
  return sum
end)
report("struct", BATCH, function(count)
  local sum = 0
  for i = 1, count do
    here.x = i
    sum = sum + library.middle(here, there).x
  end
  return sum
end)
-- The compiler does not know that the function calls back, which it must not while it runs compiled code.
local function callback(count)
  local sum = 0
  for i = 1, count do sum = sum + library.apply(same, i) end
  return sum
end
jit.off(callback)
report("callback", BATCH / 10, callback)
