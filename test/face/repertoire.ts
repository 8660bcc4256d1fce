// SPDX-License-Identifier: MIT OR Apache-2.0
// Every update that an agent can send, as turns of the scripted agent.
import type { JsonObject, Step } from "../scripted-agent/scenario.ts";

const text = (words: string, more: JsonObject = {}): JsonObject => ({ type: "text", text: words, ...more });
const said = (sessionUpdate: string, content: JsonObject, more: JsonObject = {}): Step => ({
  update: { sessionUpdate, content, ...more },
});
export const chunk = (words: string, more: JsonObject = {}): Step => said("agent_message_chunk", text(words), more);
export const call = (toolCallId: string, more: JsonObject = {}): Step => ({
  update: { sessionUpdate: "tool_call", toolCallId, title: "A call", kind: "execute", status: "pending", ...more },
});
const callUpdate = (toolCallId: string, more: JsonObject): Step => ({
  update: { sessionUpdate: "tool_call_update", toolCallId, ...more },
});

/** What the agent does, by the prompt. Each turn ends with `end_turn` unless its last step replies otherwise. */
export const repertoire: Readonly<Record<string, readonly Step[]>> = {
  "messages and thoughts": [
    said("agent_thought_chunk", text("Let me think")),
    said("agent_thought_chunk", text(" about it.")),
    chunk("One "),
    chunk("two, äöü 🎉 "),
    call("between"),
    chunk("three.", { messageId: "named" }),
    chunk(" And on.", { messageId: "named" }),
    chunk("Another.", { messageId: "other" }),
  ],
  "content of every type": [
    chunk("seen", { _meta: { note: 1 } }),
    said("agent_message_chunk", text("annotated", { annotations: { audience: ["user"], priority: 0.5 } })),
    said("agent_message_chunk", { type: "image", data: "aGk=", mimeType: "image/png", uri: "file:///a.png" }),
    said("agent_message_chunk", { type: "audio", data: "aGk=", mimeType: "audio/wav" }),
    said("agent_message_chunk", { type: "resource_link", uri: "file:///a.txt", name: "a.txt", size: 3, title: "A" }),
    said("agent_message_chunk", {
      type: "resource",
      resource: { uri: "file:///b", text: "b", mimeType: "text/plain" },
    }),
    said("agent_message_chunk", { type: "resource", resource: { uri: "file:///c", blob: "aGk=" } }),
  ],
  "a tool call through its life": [
    call("life", { rawInput: { command: "make", big: 2 ** 53, nested: [null, { deep: true }] } }),
    callUpdate("life", { status: "in_progress", title: "make all" }),
    callUpdate("life", { content: [{ type: "content", content: text("line 1\n") }] }),
    callUpdate("life", { content: [{ type: "content", content: text("line 1\nline 2\n") }] }),
    callUpdate("life", {
      status: "completed",
      rawOutput: { code: 0 },
      content: [{ type: "content", content: text("x") }],
    }),
  ],
  "every kind of tool": [
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
  ].map((kind) => call(`kind-${kind}`, { kind, status: "completed" })),
  "diffs and places": [
    call("edit", { kind: "edit", locations: [{ path: "$cwd/a.ts", line: 3 }, { path: "$cwd/b.ts" }] }),
    callUpdate("edit", {
      status: "completed",
      content: [
        { type: "diff", path: "$cwd/a.ts", oldText: "a\n", newText: "b\n" },
        { type: "diff", path: "$cwd/new.ts", newText: "fresh\n" },
      ],
    }),
    call("failed", { status: "failed" }),
    call("bare", { kind: "other", _meta: { claudeCode: { toolName: "Bash" } } }),
  ],
  "plan, commands, title and usage": [
    {
      update: {
        sessionUpdate: "plan",
        entries: [
          { content: "first", priority: "high", status: "completed" },
          { content: "second", priority: "low", status: "in_progress" },
        ],
      },
    },
    {
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "web", description: "Search", input: { hint: "what" } }],
      },
    },
    { update: { sessionUpdate: "session_info_update", title: "A title" } },
    {
      update: { sessionUpdate: "usage_update", used: 53_000, size: 200_000, cost: { amount: 0.045, currency: "USD" } },
    },
    { update: { sessionUpdate: "plan", entries: [] } },
  ],
  "options that change": [
    { update: { sessionUpdate: "current_mode_update", currentModeId: "code" } },
    {
      update: {
        sessionUpdate: "config_option_update",
        configOptions: [
          {
            id: "model",
            name: "Model",
            category: "model",
            type: "select",
            currentValue: "b",
            options: [
              { value: "a", name: "A" },
              { value: "b", name: "B", description: "the other" },
            ],
          },
        ],
      },
    },
  ],
  "long texts": [
    chunk(`${"word ".repeat(10_000)}\n`),
    call("long", { title: "Long" }),
    callUpdate("long", { content: [{ type: "content", content: text("y".repeat(200_000)) }] }),
  ],
  "a turn that ends with max_tokens": [chunk("cut"), { reply: { stopReason: "max_tokens" } }],
  "a turn that is refused": [chunk("no"), { reply: { stopReason: "refusal" } }],
};
