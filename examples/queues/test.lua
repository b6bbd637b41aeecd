-- Checks promise.lua: luajit test.lua; with a number, prints the cost of that many crossings.
package.path = (arg[0]:match("^(.*)/") or ".") .. "/?.lua;" .. package.path
local promise = require("promise")
local ffi = require("ffi")
ffi.cdef([[
  int32_t promise_retain(promise_t *);
  int32_t promise_request_cancel(promise_t *, const promise_value_t *);
  int32_t promise_cancel_requested(promise_t *);
  int32_t promise_value_error(promise_value_t *, const char *, int64_t, const char *);
  int32_t promise_value_bytes(promise_value_t *, const char *, size_t);
  const char *promise_value_domain(const promise_value_t *);
  int64_t promise_value_code(const promise_value_t *);
]])
local C = ffi.load(os.getenv("LIBPROMISE") or "libpromise.so.1")
local new_value, POINTER, DISCARDED, PROMISE = ffi.typeof("promise_value_t"), 6, 12, 13

local function add_one(value) return value + 1 end
local function crossing()
  local source = promise.new()
  local derived = promise.chain(source, add_one)
  promise.resolve(source, 41)
  promise.release(source)
  return derived
end

if arg[1] then
  local rounds, best = tonumber(arg[1]), math.huge
  for _ = 1, 7 do
    local begun = os.clock()
    for _ = 1, rounds do
      local derived = crossing()
      promise.step(0)
      promise.release(derived)
    end
    best = math.min(best, (os.clock() - begun) / rounds * 1e9)
  end
  print(string.format("%.0f ns a crossing", best))
  return
end

local ended = {}
promise.spawn(function()
  local derived = crossing()
  assert(promise.result(derived) == nil)
  assert(promise.await(derived) == 42)
  local value, fulfilled = promise.result(derived)
  assert(value == 42 and fulfilled)
  local broken = promise.chain(crossing(), function() error("broken", 0) end)
  local ok, message = pcall(promise.await, promise.chain(broken, print))
  assert(not ok and message == "broken", message)
  value, fulfilled = promise.result(broken)
  assert(value == "broken" and not fulfilled)
  ended[#ended + 1] = "chain"
end)
promise.spawn(function()
  local text = promise.new()
  promise.spawn(function() promise.await(promise.sleep(0.001)); promise.resolve(text, "late") end)
  assert(promise.await(text) == "late")
  ended[#ended + 1] = "text"
end)
promise.spawn(function()
  -- The source is destroyed while pending.
  local source = promise.new()
  local derived = promise.chain(source, print)
  promise.release(source)
  assert(not pcall(promise.await, derived))
  ended[#ended + 1] = "dropped"
end)
promise.spawn(function()
  -- Promises are settled by hand: before the source, and before the function is due.
  local never = promise.new()
  local before, after = promise.chain(never, error), promise.chain(crossing(), error)
  assert(promise.resolve(before, 1) and not promise.resolve(before, 2) and promise.resolve(after, 3))
  assert(promise.await(before) == 1 and promise.await(after) == 3)
  ended[#ended + 1] = "by hand"
end)
promise.spawn(function()
  -- Numbers arrive unchanged, those of 64 bits too.
  for _, value in ipairs({
    0, -1.5, 2 ^ 53, 2 ^ 64, true, false, 2LL ^ 62, -2LL ^ 63, 2ULL ^ 64 - 1, 2LL ^ 53 + 1, -2LL ^ 53 - 1,
    2ULL ^ 53 + 1,
  }) do
    local number = promise.new()
    promise.resolve(number, value)
    local same = promise.await(number)
    assert(same == value and type(same) == type(value), tostring(value))
  end
  ended[#ended + 1] = "numbers"
end)
promise.spawn(function()
  -- A reason of C passes through chains unchanged.
  local reason = new_value()
  C.promise_value_error(reason, "x", 7, "of C")
  local source = promise.new()
  local last = promise.chain(promise.chain(source, error), error)
  C.promise_reject(source, reason)
  local ok, message = pcall(promise.await, last)
  assert(not ok and message == "of C", message)
  C.promise_result(last, reason)
  assert(ffi.string(C.promise_value_domain(reason)) == "x" and C.promise_value_code(reason) == 7)
  C.promise_value_release(reason)
  -- A cancelled promise stays one.
  local cancelled = promise.new()
  last = promise.chain(cancelled, error)
  C.promise_discard(cancelled)
  ok, message = pcall(promise.await, last)
  assert(not ok and message == "cancelled", message)
  C.promise_result(last, reason)
  assert(reason.kind == DISCARDED)
  C.promise_value_release(reason)
  ended[#ended + 1] = "reasons"
end)
promise.spawn(function()
  -- Promises are values, and followed.
  local later = promise.new()
  local adopting = promise.chain(crossing(), function() return later end)
  local following = promise.new()
  assert(promise.resolve(following, adopting))
  promise.spawn(function() promise.await(promise.sleep(0.001)); promise.resolve(later, "followed") end)
  assert(promise.await(following) == "followed" and promise.result(adopting) == "followed")
  local itself
  itself = promise.chain(crossing(), function() return itself end)
  local ok, message = pcall(promise.await, itself)
  assert(not ok and message:find("PROMISE_EDEADLK"), message)
  -- BYTES and a PROMISE of C arrive; a kind that Lua does not have is an error.
  local value, bytes = new_value(), promise.new()
  C.promise_value_bytes(value, "\0\255", 2)
  C.promise_resolve(bytes, value)
  assert(promise.await(bytes) == "\0\255")
  local outer, inner = promise.new(), promise.new()
  C.promise_retain(inner)
  value.kind, value.as.ptr = PROMISE, inner
  C.promise_resolve(outer, value)
  promise.resolve(inner, 1)
  assert(promise.await(promise.await(outer)) == 1)
  local pointer = promise.new()
  value.kind, value.as.ptr = POINTER, nil
  C.promise_resolve(pointer, value)
  for _, awaited in ipairs({pointer, promise.chain(pointer, print)}) do
    ok, message = pcall(promise.await, awaited)
    assert(not ok and message:find("the kind 6 has no equivalent"), message)
  end
  -- Values of Lua that C cannot hold, and texts that are not UTF-8.
  for refused, with in pairs({[{}] = "not a table", [print] = "not a function", ["\255"] = "PROMISE_EINVAL"}) do
    ok, message = pcall(promise.resolve, promise.new(), refused)
    assert(not ok and message:find(with), message)
    ok, message = pcall(promise.await, promise.chain(crossing(), function() return refused end))
    assert(not ok and message:find(with), message)
  end
  for text, arrives in pairs({["caf\255"] = "caf?", ["a\0b"] = "a\0b"}) do
    ok, message = pcall(promise.await, promise.chain(crossing(), function() error(text, 0) end))
    assert(not ok and message == arrives, message)
  end
  ended[#ended + 1] = "kinds"
end)
promise.run()
assert(#ended == 7, #ended)

-- A reference that the collector has not released keeps no promise from being cancelled.
for _, source in ipairs({promise.new(), promise.sleep(60), promise.chain(promise.new(), print)}) do
  C.promise_retain(source)
  C.promise_request_cancel(promise.chain(source, print), nil)
  assert(C.promise_cancel_requested(source) == 1)
  C.promise_release(source)
end

-- A sleep that is longer than an int64_t of nanoseconds does not end at once.
for _, seconds in ipairs({1e10, math.huge}) do assert(C.promise_state(promise.sleep(seconds)) == 1) end

-- Only coroutines await, and not only those of spawn(): a mistake does not disable the loop.
local ok, message = pcall(promise.await, promise.sleep(0))
assert(not ok and message:find("outside a coroutine"), message)
local others = 0
promise.spawn(function()
  promise.await(promise.sleep(0.002))
  others = others + 1
end)
coroutine.wrap(function() promise.await(promise.sleep(0.001)) end)()
promise.run()
assert(others == 1)

-- An error that leaves a coroutine ends neither the batch nor the loop.
local reached = 0
for index = 1, 3 do
  promise.spawn(function()
    promise.await(promise.sleep(0.001))
    reached = reached + 1
    if index < 3 then error("left " .. index, 0) end
  end)
end
local messages = {}
repeat
  local ok, message = pcall(promise.run)
  messages[#messages + 1] = message
until ok
assert(reached == 3 and messages[1] == "left 1", reached)

-- Timers fire while Lua is busy: no coroutine is resumed before a step.
local fired = 0
for _ = 1, 1000 do
  promise.spawn(function() promise.await(promise.sleep(0.001)); fired = fired + 1 end)
end
local busy, sum = os.clock() + 0.05, 0
while os.clock() < busy do sum = sum + 1 end
assert(fired == 0)
promise.run()
assert(fired == 1000)

-- Timers fire while Lua exits: nobody takes their events.
for index = 1, 200 do promise.spawn(function() promise.await(promise.sleep(index * 1e-5)) end) end
print("passed")
