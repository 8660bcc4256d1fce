-- SPDX-License-Identifier: MIT OR Apache-2.0
-- CodeCompanion.nvim in a Neovim without a screen. Quitting Neovim ends the agent by SIGTERM.
package.path = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/?.lua;" .. package.path
local channel = require("channel")
channel.configure()
vim.cmd("runtime plugin/codecompanion.lua")

-- Debian's LuaJIT answers the main thread where Neovim's own answers nil, which the plugin counts on.
local running = coroutine.running
coroutine.running = function()
  local thread, is_main = running()
  return not is_main and thread or nil
end

channel.run_printed_block()

local codecompanion = require("codecompanion")
local prompts, ended = 0, 0
local answer
local function chat() return codecompanion.last_chat() end
local function connection() return chat() and chat().acp_connection end

local function press(kind)
  local labels = require("codecompanion.interactions.chat.tools.labels").keymaps()
  local key = kind == "reject_once" and labels.reject or labels.accept
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    for _, map in ipairs(vim.api.nvim_buf_get_keymap(buffer, "n")) do
      if map.lhs == key and map.callback then return vim.api.nvim_buf_call(buffer, map.callback) end
    end
  end
  error("no key answers " .. kind)
end

vim.api.nvim_create_autocmd("User", {
  pattern = "CodeCompanion*",
  callback = function(event)
    if event.match == "CodeCompanionChatDone" then
      ended = ended + 1
      channel.tell({ event = "turn", number = ended, ["end"] = "done" })
    elseif event.match == "CodeCompanionToolApprovalRequested" then
      channel.tell({ event = "asked", kinds = vim.empty_dict() })
      vim.defer_fn(function() press(answer) end, 100)
    end
  end,
})

channel.tell_what_is_shown(function()
  if not chat() or not vim.api.nvim_buf_is_valid(chat().bufnr) then return nil end
  return table.concat(vim.api.nvim_buf_get_lines(chat().bufnr, 0, -1, false), "\n")
end)

channel.serve({
  open = function()
    codecompanion.chat()
    channel.wait("a session", function() return connection() and connection().session_id end)
    channel.tell({ event = "opened", session = connection().session_id })
  end,
  -- As its /resume does.
  load = function(command)
    codecompanion.chat()
    channel.wait("a session", function() return connection() and connection().session_id end)
    local updates = {}
    local loaded = connection():load_session(command.session, {
      on_session_update = function(update) table.insert(updates, update) end,
    })
    assert(loaded, "it was not loaded")
    require("codecompanion.interactions.chat.acp.render").restore_session(chat(), updates)
    channel.wait("the history", function() return vim.api.nvim_buf_line_count(chat().bufnr) > 2 end)
    vim.wait(200)
    channel.tell({ event = "opened", session = connection().session_id })
  end,
  prompt = function(command)
    answer = command.answer or "allow_once"
    -- It takes a prompt as soon as it has shown the end of the last one, which a cancel does at once.
    channel.wait("the end of the last turn", function() return ended == prompts end)
    prompts = prompts + 1
    chat():add_buf_message({ role = "user", content = command.text })
    chat():submit()
  end,
  cancel = function() chat():stop() end,
  list = function()
    local sessions = vim.tbl_map(function(session) return session.sessionId end, connection():session_list())
    channel.tell({ event = "listed", sessions = sessions })
  end,
  mode = function(command)
    assert(connection():set_config_option("mode", command.value), "it was refused")
    channel.tell({ event = "set" })
  end,
  option = function(command)
    assert(connection():set_config_option(command.option, command.value), "it was refused")
    channel.tell({ event = "set" })
  end,
  ["end"] = function() vim.cmd("qa!") end,
})
