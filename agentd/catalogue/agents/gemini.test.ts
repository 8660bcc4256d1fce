// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { gemini } from "./gemini.ts";

test.each([
  ["mcp_mixos_bus_call__bus_call_1796129018086_0", "mcp_mixos_bus_call"],
  ["mcp_server_a__b__1", "mcp_server_a__b"],
  ["run_shell_command__1", undefined],
  ["mcp_mixos_bus_call", undefined],
])("Gemini's tool call %s is of the MCP tool %s", (id, name) => {
  expect(gemini.quirks?.toolNameOf?.(id)).toBe(name);
});
