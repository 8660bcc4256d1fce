-- SPDX-License-Identifier: MIT OR Apache-2.0
-- avante.nvim in a Neovim without a screen. It opens every session in two processes, and ends them by SIGKILL.
package.path = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/?.lua;" .. package.path
local channel = require("channel")
channel.configure()
channel.run_printed_block()
local config = require("avante.config")
-- By itself it allows everything that it is asked.
config.override({
  behaviour = { auto_approve_tool_permissions = false, auto_suggestions = false, enable_token_counting = false },
  selection = { enabled = false },
})

local api = require("avante.api")
local prompts, cancelled = 0, 0
local answer
local function sidebar() return require("avante").get() end
local function client() return sidebar() and sidebar().acp_client end
local function session()
  return sidebar() and sidebar().chat_history and sidebar().chat_history.acp_session_id
end

local busy = { generating = true, thinking = true, ["tool calling"] = true, initializing = true }
local was_busy = false
local timer = vim.uv.new_timer()
timer:start(50, 50, vim.schedule_wrap(function()
  local side = sidebar()
  if not side then return end
  if side.permission_handler then
    local buttons = vim.tbl_map(function(button) return button.id end, side.permission_button_options)
    channel.tell({ event = "asked", kinds = buttons })
    side.permission_handler(answer)
  end
  local is_busy = busy[side.current_state] == true
  if was_busy and not is_busy then
    local number = side.current_state == "cancelled" and cancelled or prompts
    channel.tell({ event = "turn", number = number, ["end"] = side.current_state or "none" })
  end
  was_busy = is_busy
end))

channel.tell_what_is_shown(function()
  local result = sidebar() and sidebar().containers and sidebar().containers.result
  if not result or not vim.api.nvim_buf_is_valid(result.bufnr) then return nil end
  return table.concat(vim.api.nvim_buf_get_lines(result.bufnr, 0, -1, false), "\n")
end)

local function open()
  vim.cmd("edit a.txt")
  api.ask({ new_chat = false })
  channel.wait("a session", function() return client() and session() and session() ~= "" end)
  channel.tell({ event = "opened", session = session() })
end

channel.serve({
  open = open,
  -- It keeps the session's id in its own state, and loads it when it starts.
  load = open,
  prompt = function(command)
    answer = command.answer or "allow_once"
    prompts = prompts + 1
    api.ask({ question = command.text, new_chat = false })
  end,
  cancel = function()
    cancelled = prompts
    api.stop()
  end,
  mode = function(command)
    client():set_mode(session(), command.value, function(_, failure)
      channel.tell(failure and { event = "failed", ["do"] = "mode", message = failure.message } or { event = "set" })
    end)
  end,
  option = function(command)
    client():set_config_option(session(), command.option, command.value, function(_, failure)
      channel.tell(failure and { event = "failed", ["do"] = "option", message = failure.message } or { event = "set" })
    end)
  end,
  ["end"] = function() vim.cmd("qa!") end,
})
