// SPDX-License-Identifier: MIT OR Apache-2.0
// One entry of each kind of the vocabulary, and entries as a log has them.
import type { Entry, EntryContent, EntryKind } from "../../agentd/vocabulary/entries.ts";

/** Numbers entries as the log does, from `first` on. */
export function logged(contents: readonly EntryContent[], first = 1, log = "log"): Entry[] {
  return contents.map((content, index) => {
    const head = { log, session: "aaaaaaaaaaaa", seq: first + index, at: "2026-12-01T10:00:00.000Z" };
    return { ...head, ...content };
  });
}

export const text = (words: string) => ({ type: "text", text: words });

export const samples: { readonly [K in EntryKind]: Extract<EntryContent, { readonly kind: K }> } = {
  command: { kind: "command", verb: "agent.session.cancel", by: "mix-a", origin: "local", args: {} },
  reply: { kind: "reply", verb: "agent.session.cancel", command_seq: 1, rc: 0, body: { turns: [1] } },
  state: { kind: "state", state: "failed", error: { error_code: "AGENT_EXITED", message: "it ended" } },
  turn: { kind: "turn", turn: 1, phase: "ended", stop_reason: "end_turn" },
  message: { kind: "message", role: "agent", message_id: "m1", content: text("hello"), append: true, turn: 1 },
  tool_call: { kind: "tool_call", tool_call_id: "t1", title: "Read", tool_kind: "read", status: "pending", turn: 1 },
  plan: { kind: "plan", plan_id: "p", entries: [{ content: "one", priority: "high", status: "pending" }] },
  commands: { kind: "commands", commands: [{ name: "compact", description: "Compact" }] },
  options: {
    kind: "options",
    options: [{ option: "mode", name: "Mode", category: "mode", type: "select", value: "plan" }],
  },
  info: { kind: "info", title: "A title" },
  usage: { kind: "usage", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } },
  notice: { kind: "notice", severity: "info", title: "Look" },
  compaction: { kind: "compaction", compaction_id: "c1", status: "running" },
  permission: {
    kind: "permission",
    request: "aaaaaaaaaaaa-1",
    phase: "requested",
    tool_call: { tool_call_id: "t1", title: "Run it" },
    options: [
      { option: "yes", name: "Yes", kind: "allow_once" },
      { option: "no", name: "No", kind: "reject_once" },
    ],
    now: "2026-12-01T10:00:00.000Z",
    expires_at: "2026-12-01T10:10:00.000Z",
    turn: 1,
  },
  elicitation: {
    kind: "elicitation",
    request: "aaaaaaaaaaaa-2",
    phase: "requested",
    mode: "form",
    message: "Name?",
    schema: { properties: { name: { type: "string" } } },
  },
  file: { kind: "file", op: "write", path: "/a", phase: "intended", bytes: 3 },
  terminal: { kind: "terminal", terminal: "term1", phase: "started", command: "ls" },
  extension: { kind: "extension", method: "_agent/thing", data: { any: 1 } },
  diagnostic: { kind: "diagnostic", what: "stderr", message: "noise" },
};
