-- Promises of libpromise.so in LuaJIT, through examples/queues/promise.lua, against a promise class in Lua.
-- usage: LIBPROMISE=LIBRARY luajit crossing.lua EXAMPLES; prints "crossings-a-step nanoseconds-in-Lua nanoseconds" for each row.
--
-- A crossing creates a promise, attaches a function, resolves, runs the function in a step of the loop, reads the result, and
-- releases both promises. Processor time, median of interleaved rounds.
package.path = arg[1] .. "/?.lua;" .. package.path
local promise = require("promise")
local ROUNDS, CROSSINGS = 41, 20000

-- The class, as programs in Lua write it: methods in a metatable, callbacks deferred to the loop, errors that reject.
local Own, jobs = {}, {}
Own.__index = Own

function Own.new() return setmetatable({state = "pending", reactions = {}}, Own) end

function Own:react(reaction) jobs[#jobs + 1] = {reaction, self.state, self.value} end

function Own:settle(state, value)
  if self.state ~= "pending" then return false end
  self.state, self.value = state, value
  for place = 1, #self.reactions do self:react(self.reactions[place]) end
  self.reactions = nil
  return true
end

function Own:resolve(value) return self:settle("fulfilled", value) end
function Own:reject(reason) return self:settle("rejected", reason) end

function Own:chain(body)
  local derived = Own.new()
  local function reaction(state, value)
    if state == "rejected" then return derived:reject(value) end
    local ok, result = pcall(body, value)
    if ok then derived:resolve(result) else derived:reject(result) end
  end
  if self.state == "pending" then self.reactions[#self.reactions + 1] = reaction else self:react(reaction) end
  return derived
end

function Own.step()
  local due = jobs
  jobs = {}
  for place = 1, #due do
    local job = due[place]
    job[1](job[2], job[3])
  end
end

local function add_one(value) return value + 1 end

local function own(batch)
  local pending = {}
  for _ = 1, CROSSINGS / batch do
    for place = 1, batch do
      local source = Own.new()
      pending[place] = source:chain(add_one)
      source:resolve(41)
    end
    Own.step()
    for place = 1, batch do assert(pending[place].value == 42) end
  end
end

local function ours(batch)
  local pending = {}
  for _ = 1, CROSSINGS / batch do
    for place = 1, batch do
      local source = promise.new()
      pending[place] = promise.chain(source, add_one)
      promise.resolve(source, 41)
      promise.release(source)
    end
    promise.step(0)
    for place = 1, batch do
      assert(promise.result(pending[place]) == 42)
      promise.release(pending[place])
    end
  end
end

local function nanoseconds(run, batch)
  collectgarbage()
  local begun = os.clock()
  run(batch)
  return (os.clock() - begun) / CROSSINGS * 1e9
end

local function median(times)
  table.sort(times)
  return times[math.ceil(#times / 2)]
end

for _, batch in ipairs({1, 100}) do
  own(batch)
  ours(batch)
  local theirs, here = {}, {}
  for round = 1, ROUNDS do
    theirs[round] = nanoseconds(own, batch)
    here[round] = nanoseconds(ours, batch)
  end
  print(string.format("%d %.1f %.1f", batch, median(theirs), median(here)))
end
