-- Checks promise.lua: luajit test.lua; with a number, prints the cost of that many crossings.
package.path = (arg[0]:match("^(.*)/") or ".") .. "/?.lua;" .. package.path
local promise = require("promise")

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
  for _, value in ipairs({0, -1.5, 2 ^ 53, 2 ^ 64, true, false, 2LL ^ 62, -2LL ^ 63, 2ULL ^ 64 - 1}) do
    local number = promise.new()
    promise.resolve(number, value)
    local same = promise.await(number)
    assert(same == value and type(same) == type(value), tostring(value))
  end
  ended[#ended + 1] = "numbers"
end)
promise.run()
assert(#ended == 5, #ended)

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
