-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The driver's end of the socket, for drivers in Neovim.
local M = {}

local socket = vim.uv.new_pipe()

--- Tells the test.
function M.tell(event)
  socket:write(vim.json.encode(event) .. "\n")
end

--- Adds the plugins' folders to where Neovim looks, and then runs the block that `mix agent acp --print-config` printed.
function M.configure()
  for _, folder in pairs(vim.json.decode(vim.env.EDITOR_SOURCES)) do
    vim.opt.runtimepath:append(folder)
  end
  vim.o.columns, vim.o.lines = 120, 40
end

function M.run_printed_block()
  assert(loadstring(vim.env.EDITOR_CONFIG))()
end

--- Waits while everything else goes on, at most 40 s.
function M.wait(what, test)
  if not vim.wait(40000, test, 20) then error(what .. " did not happen") end
end

--- Tells all that the client shows as said, whenever it has changed. `text` returns it, or nil.
function M.tell_what_is_shown(text)
  local shown = ""
  local timer = vim.uv.new_timer()
  timer:start(50, 50, vim.schedule_wrap(function()
    local now = text() or ""
    if now == shown then return end
    shown = now
    M.tell({ event = "said", text = now })
  end))
end

--- Handles commands one after another, in the order in which they came.
function M.serve(handlers)
  local queue, busy, rest = {}, false, ""
  local function work()
    if busy then return end
    busy = true
    while #queue > 0 do
      local command = table.remove(queue, 1)
      local ok, message = xpcall(handlers[command["do"]] or error, debug.traceback, command)
      if not ok then M.tell({ event = "failed", ["do"] = command["do"], message = tostring(message) }) end
    end
    busy = false
  end
  socket:connect(vim.env.EDITOR_SOCKET, function(failure)
    assert(not failure, failure)
    socket:read_start(function(_, data)
      if data == nil then return vim.schedule(function() vim.cmd("qa!") end) end
      rest = rest .. data
      for line in rest:gmatch("([^\n]*)\n") do table.insert(queue, vim.json.decode(line)) end
      rest = rest:match("[^\n]*$")
      vim.schedule(work)
    end)
  end)
end

return M
