-- promise.lua - promises of libpromise.so for LuaJIT, on the completion queue alone: nothing calls into Lua.
--
--   local promise = require("promise")
--   promise.spawn(function()
--     promise.await(promise.sleep(0.01))
--     print(promise.await(some_promise))
--   end)
--   promise.run()      -- until every coroutine has ended
--
-- LIBPROMISE names the library; without it, the installed one is loaded. A failed call, for example because memory has
-- run out, raises an error with the name of the status, and changes nothing.
--
-- Values are nil, booleans, numbers, int64_t, uint64_t, and strings of UTF-8. A promise as a value is followed. BYTES
-- arrive as a string, a PROMISE as a promise; a value of another kind raises an error where it is read.
local ffi = require("ffi")
ffi.cdef([[
  typedef struct promise promise_t;
  typedef struct promise_queue promise_queue_t;
  typedef struct {
    uint32_t kind, reserved;
    union { uint8_t b; int64_t i64; uint64_t u64; double f64; void *ptr; } as;
  } promise_value_t;
  typedef struct {
    uint32_t kind; int32_t state; uint64_t tag; promise_t *promise; promise_value_t value; uint64_t reserved;
  } promise_event_t;
  promise_t *promise_new(void);
  int32_t promise_release(promise_t *);
  int32_t promise_seal(promise_t *);
  int32_t promise_follow(promise_t *, promise_t *);
  int32_t promise_resolve(promise_t *, const promise_value_t *);
  int32_t promise_reject(promise_t *, const promise_value_t *);
  int32_t promise_discard(promise_t *);
  int32_t promise_state(promise_t *);
  int32_t promise_last_status(void);
  const char *promise_status_name(int32_t);
  int32_t promise_result(promise_t *, promise_value_t *);
  promise_t *promise_sleep(int64_t);
  int32_t promise_value_string(promise_value_t *, const char *, size_t);
  int32_t promise_value_error_sized(promise_value_t *, const char *, size_t, int64_t, const char *, size_t);
  int32_t promise_value_release(promise_value_t *);
  const char *promise_value_data(const promise_value_t *, size_t *);
  promise_queue_t *promise_queue_new(void);
  int32_t promise_queue_free(promise_queue_t *);
  int32_t promise_queue_watch(promise_queue_t *, promise_t *, uint64_t);
  promise_t *promise_queue_then(promise_queue_t *, promise_t *, uint64_t);
  int64_t promise_queue_take(promise_queue_t *, promise_event_t *, size_t, int64_t);
]])
local C = ffi.load(os.getenv("LIBPROMISE") or "libpromise.so.1")

local VOID, BOOL, I64, U64, F64, STRING, BYTES, ERROR, DISCARDED, PROMISE = 1, 2, 3, 4, 5, 7, 8, 11, 12, 13
local FULFILLED, REJECTED, CALL = 2, 3, 33
local EINVAL, ESETTLED, EPENDING, EINTR = -1, -3, -4, -11
local ROOM = 256

local function fail(status) error("libpromise: " .. ffi.string(C.promise_status_name(status)), 0) end
-- Returns a new reference, which the collector releases by `free`; raises an error for NULL.
local function owned(reference, free)
  if reference == nil then fail(C.promise_last_status()) end
  return ffi.gc(reference, free)
end
-- Returns a new reference to a promise. It is sealed: the collector may release it late, and until then it must not
-- keep the promise from being cancelled.
local function wrapped(reference)
  owned(reference, C.promise_release)
  C.promise_seal(reference)
  return reference
end

-- The queue closes with the Lua state: later settlements add no event, and call nothing.
local queue = owned(C.promise_queue_new(), C.promise_queue_free)
local events, length = ffi.new("promise_event_t[?]", ROOM), ffi.new("size_t[1]")
local scratch = ffi.new("promise_value_t")

-- By tag: the coroutine that awaits; or the function to call, and the promise that its result settles.
local waiting, settles, free_tags, used = {}, {}, {}, 0
local function tag_for(what)
  local tag = free_tags[#free_tags]
  if tag then free_tags[#free_tags] = nil else used = used + 1; tag = used end
  waiting[tag] = what
  return tag
end
local function forget(tag)
  waiting[tag], settles[tag] = nil, nil
  free_tags[#free_tags + 1] = tag
end

-- Writes a Lua value into `scratch`.
local function store(value)
  local kind = type(value)
  scratch.reserved = 0
  if kind == "number" then
    scratch.kind, scratch.as.f64 = F64, value
  elseif kind == "boolean" then
    scratch.kind, scratch.as.i64 = BOOL, value and 1 or 0
  elseif kind == "string" then
    local status = C.promise_value_string(scratch, value, #value)
    if status ~= 0 then fail(status) end
  elseif kind == "nil" then
    scratch.kind = VOID
  elseif ffi.istype("int64_t", value) then
    scratch.kind, scratch.as.i64 = I64, value
  elseif ffi.istype("uint64_t", value) then
    scratch.kind, scratch.as.u64 = U64, value
  else
    error("promise.lua: expected a value that C can hold, not a " .. kind, 0)
  end
end
-- Writes an error into `scratch`; VOID, a rejection without a reason, if there is no memory. In a text that is not
-- UTF-8, a ? replaces each byte that is not ASCII.
local function store_error(message)
  local ok, text = pcall(tostring, message)
  if not ok then text = "an error without a text" end
  if C.promise_value_error_sized(scratch, "lua", 3, 1, text, #text) == EINVAL then
    C.promise_value_error_sized(scratch, "lua", 3, 1, text:gsub("[\128-\255]", "?"), #text)
  end
end

-- Returns an integer as a number, if that is exact; otherwise unchanged, as an int64_t or uint64_t.
local function exact(integer)
  local number = tonumber(integer)
  -- 2^53 + 1 becomes 2^53 too.
  return math.abs(number) < 2 ^ 53 and number or integer
end

-- Reads a value, and releases it.
local function load(value)
  local kind = value.kind
  if kind == F64 then return value.as.f64 end
  if kind == I64 then return exact(value.as.i64) end
  if kind == U64 then return exact(value.as.u64) end
  if kind == BOOL then return value.as.b ~= 0 end
  if kind == PROMISE then return wrapped(ffi.cast("promise_t *", value.as.ptr)) end
  if kind == STRING or kind == BYTES or kind == ERROR then
    local text = ffi.string(C.promise_value_data(value, length), length[0])
    C.promise_value_release(value)
    return text
  end
  C.promise_value_release(value)
  if kind == VOID or kind == DISCARDED then return nil end
  error("promise.lua: a value of the kind " .. kind .. " has no equivalent in Lua", 0)
end

local promise = {}

local function settled(status)
  if status ~= 0 and status ~= ESETTLED then fail(status) end
  return status == 0
end

function promise.new() return wrapped(C.promise_new()) end
function promise.sleep(seconds) return wrapped(C.promise_sleep(math.min(seconds * 1e9, 9.2e18))) end
-- resolve() and reject() settle a promise; false if it is settled already. A call of chain() that is not due yet is
-- dropped. With another promise as the value, resolve() makes the promise end as that one does.
function promise.resolve(p, value)
  if ffi.istype("promise_t *", value) then return settled(C.promise_follow(p, value)) end
  store(value)
  return settled(C.promise_resolve(p, scratch))
end
function promise.reject(p, message)
  store_error(message)
  return settled(C.promise_reject(p, scratch))
end
-- Returns the value or the reason of a settled promise, and whether it is fulfilled; nil while it is pending. The
-- reason of a cancelled promise is nil.
function promise.result(p)
  local status = C.promise_result(p, scratch)
  if status == EPENDING then return nil end
  if status ~= 0 then fail(status) end
  return load(scratch), C.promise_state(p) == FULFILLED
end
-- Releases the reference before the collector does.
function promise.release(p) ffi.gc(p, nil); C.promise_release(p) end

-- Calls `body` with the value once `p` is fulfilled. Returns a promise that ends as that call does, or as the promise
-- that `body` returns. A rejection passes unchanged.
function promise.chain(p, body)
  local tag = tag_for(body)
  local derived = C.promise_queue_then(queue, p, tag)
  if derived == nil then forget(tag) end
  wrapped(derived)
  settles[tag] = derived
  return derived
end

local function run(body, event) promise.resolve(event.promise, body(load(event.value))) end

-- Calls the function for a CALL, and settles the promise of the event with the result.
local function call(event, body)
  local answer = event.promise
  if event.state == REJECTED then
    C.promise_reject(answer, event.value)
  else
    local ok, message = pcall(run, body, event)
    if not ok then promise.reject(answer, message) end
  end
  C.promise_release(answer)
end

-- The coroutines of spawn() that have not ended, and their number: others may await too, and end when they like.
local spawned, count = {}, 0
local function resume(thread, ...)
  local ok, message = coroutine.resume(thread, ...)
  if spawned[thread] and coroutine.status(thread) == "dead" then
    spawned[thread], count = nil, count - 1
  end
  if not ok then error(message, 0) end
end

-- Runs `body` as a coroutine, in which promise.await() may be called.
function promise.spawn(body)
  local thread = coroutine.create(body)
  spawned[thread], count = true, count + 1
  resume(thread)
end

-- Suspends the running coroutine until `p` is settled. Returns the value, or raises an error with the reason.
function promise.await(p)
  local thread, is_main = coroutine.running()
  assert(thread and not is_main, "promise.await() outside a coroutine")
  local tag = tag_for(thread)
  local status = C.promise_queue_watch(queue, p, tag)
  if status ~= 0 then
    forget(tag)
    fail(status)
  end
  local ok, value = coroutine.yield()
  if ok then return value end
  error(value == nil and "cancelled" or value, 0)
end

local function handle(event)
  local tag = tonumber(event.tag)
  local what, derived = waiting[tag], settles[tag]
  forget(tag)
  if event.kind == CALL then
    call(event, what)
  elseif derived then
    -- The function will never be called: the source was destroyed while pending, or the promise is settled.
    C.promise_discard(derived)
  else
    local ok, value = pcall(load, event.value)
    resume(what, ok and event.state == FULFILLED, value)
  end
end

local function batch(seconds)
  local taken = tonumber(C.promise_queue_take(queue, events, ROOM, seconds and seconds * 1e9 or -1))
  if taken < 0 and taken ~= EINTR then fail(taken) end
  local failure
  for place = 0, taken - 1 do
    local ok, message = pcall(handle, events[place])
    if not ok then failure = failure or {message} end
  end
  if failure then error(failure[1], 0) end
  return taken
end

-- Handles a batch of events, and returns their number. Sleeps while none is ready, `seconds` at most (nil: forever).
-- Raises the first error that left a coroutine, after the whole batch. Callbacks and coroutines must not call it.
local stepping = false
function promise.step(seconds)
  assert(not stepping, "promise.step() within a callback")
  stepping = true
  local ok, result = pcall(batch, seconds)
  stepping = false
  if not ok then error(result, 0) end
  return result
end

-- Handles events until every coroutine has ended.
function promise.run() while count > 0 do promise.step() end end

return promise
