// SPDX-License-Identifier: MIT OR Apache-2.0
// The rows of the table of agents, in its order. Each is one test for each agent.
import { test } from "vitest";
import type { Cell } from "../harness/result-table.ts";
import type { RealAgentName } from "./real-agents.ts";

export const rowTitles = {
  text: "text",
  thinking: "thinking",
  allowed: "tool allowed",
  rejected: "tool rejected",
  expired: "tool expired",
  dismissed: "tool cancelled",
  "command-allowed": "command allowed",
  "command-rejected": "command rejected",
  shown: "`permit show` names tool and arguments",
  notified: "notify names tool and arguments",
  bus: "call back onto the Bus",
  "own-server": "user's MCP server with a secret",
  elicitation: "elicitation",
  "cancel-streaming": "cancel while streaming",
  "cancel-silent": "cancel while the model is silent",
  "cancel-question": "cancel while a question is open",
  "cancel-command": "cancel while a command runs",
  queue: "queue",
  steering: "steering",
  "sub-agent": "sub-agent",
  options: "each option set",
  "unknown-mode": "unknown mode refused",
  image: "image",
  "long-prompt": "1 MB prompt",
  "long-edit": "1 MB edit",
  "model-401": "model answers 401",
  "model-429": "model answers 429",
  "model-500": "model answers 500",
  "two-sessions": "two sessions",
  "new-file-built-in": "new file, built-in entry",
  "new-file-own": "new file, own entry",
  resume: "closed, resumed twice",
  fresh: "resumed afresh",
  "agent-killed": "agent killed in a turn, resumed twice",
  "agentd-killed": "agentd killed in a turn, resumed twice",
  close: "closed, nothing left",
  "close-command": "closed while a command runs, nothing left",
  "close-late": "cancelled late in a command, nothing left",
  "agentd-stopped": "agentd stopped, nothing left",
  login: "login",
  client: "same files as with its own client",
  probe: "full probe",
} as const;

export type RowId = keyof typeof rowTitles;

/** Rows that every state of main is checked by: `npm run test:agents -- --tags-filter core`. */
const core: ReadonlySet<RowId> = new Set<RowId>([
  "text",
  "allowed",
  "shown",
  "bus",
  "cancel-streaming",
  "resume",
  "close",
]);

export type Row = (id: RowId, check: () => Promise<string | void>) => void;

/** Declares the rows of one agent. What a check returns is what its cell says, else "yes". */
export function rowsOf(agent: RealAgentName, failing: Readonly<Partial<Record<RowId, string>>>): Row {
  return (row, check) => {
    const reason = failing[row];
    const cell: Cell = { column: agent, row, ...(reason === undefined ? {} : { failing: reason }) };
    const options = { fails: reason !== undefined, tags: core.has(row) ? ["core"] : [] };
    test(`${agent}: ${rowTitles[row]}`, options, async ({ task }) => {
      task.meta.cell = cell;
      task.meta.cell = { ...cell, seen: (await check()) ?? "yes" };
    });
  };
}
