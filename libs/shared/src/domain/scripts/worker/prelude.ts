/**
 * Runs once in every interpreter, before the site's script. It receives `yield` (suspends the script until the host answers), `native`
 * (calls JavaScript in this thread) and the names of the modules' functions. It removes what a script must not use: files, processes, code
 * from text, coroutines (the host's calls use them).
 */
export const prelude = `
local yield, native, host_modules, native_modules = ...
local error, select, type, setmetatable, tostring, next, concat = error, select, type, setmetatable, tostring, next, table.concat

for _, name in ipairs({ "dofile", "loadfile", "load", "collectgarbage", "rawset", "warn" }) do _G[name] = nil end
string.dump = nil

local loaded = {}
local function add(modules, call)
  for module, names in pairs(modules) do
    loaded[module] = loaded[module] or {}
    for _, name in ipairs(names) do
      local full_name = module .. "." .. name
      loaded[module][name] = function(...)
        local ok, value = call(full_name, ...)
        if ok then return value end
        error(value, 2)
      end
    end
  end
end
add(host_modules, yield)
add(native_modules, native)

-- A script that is out of time must not catch that and go on.
local raw_pcall, raw_xpcall = pcall, xpcall
local function caught(ok, ...)
  if not ok and native("over") then error("time limit of the script exceeded", 0) end
  return ok, ...
end
function pcall(...) return caught(raw_pcall(...)) end
function xpcall(...) return caught(raw_xpcall(...)) end

local loading = {}
function require(name)
  if loaded[name] ~= nil then return loaded[name] end
  if loading[name] then error("module " .. tostring(name) .. " requires itself", 2) end
  loading[name] = true
  local ok, chunk = native("require", name)
  if not ok then error(chunk, 2) end
  local result = chunk(name)
  if result == nil then result = true end
  loaded[name] = result
  loading[name] = nil
  return result
end

local log = loaded.log
function print(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
  log.info(concat(parts, "\\t"))
end

--- Marks a table as an HTTP answer: { status =, headers =, content_type =, body = }.
function response(answer_of_hook)
  if type(answer_of_hook) ~= "table" then error("response needs a table", 2) end
  return { ["$response"] = answer_of_hook }
end

--- Called after the site's script ran: from then on globals are read only, so that no request leaves anything to the next.
return function()
  local shared, globals = _G, {}
  for name, value in next, shared do globals[name] = value end
  for name in next, globals do shared[name] = nil end
  setmetatable(shared, {
    __index = globals,
    __newindex = function(_, name) error("global variable " .. tostring(name) .. " set inside a function: make it local", 2) end,
    __metatable = false,
  })
end
`;
