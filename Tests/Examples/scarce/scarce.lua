-- Checks promise.lua while memory runs out for libpromise: each coroutine ends, and each failure is an error of Lua.
--   LD_PRELOAD=scarce.so LUA_PATH=examples/queues/?.lua luajit scarce.lua [ROUNDS]
local ffi = require("ffi")
ffi.cdef("void scarce_odds(unsigned); unsigned long scarce_failures(void);")
local odds = ffi.C.scarce_odds

-- Without any memory the module does not load.
odds(1)
local loads, message = pcall(require, "promise")
assert(not loads and message:find("PROMISE_ENOMEM"), message)
package.loaded.promise = nil
odds(0)
local promise = require("promise")

local long = ("a text that needs memory of its own "):rep(4)
local tasks = {
  function() promise.await(promise.sleep(1e-4)) end,
  function()
    local source = promise.new()
    local derived = promise.chain(source, function(value) return value + 1 end)
    promise.resolve(source, 41)
    assert(promise.await(derived) == 42)
  end,
  function()
    local source = promise.new()
    local derived = promise.chain(promise.chain(source, function() return long end), function(text) return text end)
    promise.resolve(source, 1)
    assert(promise.await(derived) == long)
  end,
  function()
    local source = promise.new()
    local derived = promise.chain(source, function() error(long, 0) end)
    promise.resolve(source, 1)
    local ok, reason = pcall(promise.await, derived)
    assert(not ok)
    error(reason, 0)
  end,
  function()
    local source = promise.new()
    local derived = promise.chain(source, print)
    promise.release(source)
    promise.await(derived)
  end,
}

-- Takes all cells; afterwards a few are free.
local function hoard(left)
  odds(1)
  local cells = {}
  while true do
    local ok, cell = pcall(promise.new)
    if not ok then break end
    cells[#cells + 1] = cell
  end
  for _ = 1, math.min(left, #cells) do promise.release(table.remove(cells)) end
  return cells
end

local begun, ended, raised = 0, 0, 0
for round = 1, tonumber(arg[1] or 200) do
  local cells = round % 2 == 0 and hoard(round % 60) or {}
  odds(round % 4 == 0 and 1 or 3)
  for index = 1, 20 do
    promise.spawn(function()
      begun = begun + 1
      if pcall(tasks[index % #tasks + 1]) then ended = ended + 1 else raised = raised + 1 end
    end)
  end
  promise.run()
  odds(0)
  for _, cell in ipairs(cells) do promise.release(cell) end
end
assert(ended + raised == begun, begun - ended - raised)
assert(ended > 0 and raised > 0 and ffi.C.scarce_failures() > 0)
-- With memory everything works again.
promise.spawn(function() for place = 1, 3 do tasks[place]() end; begun = 0 end)
promise.run()
assert(begun == 0)
print(ended .. " passed, 0 failed: " .. raised .. " errors")
