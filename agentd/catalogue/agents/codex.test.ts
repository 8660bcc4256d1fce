// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { codex } from "./codex.ts";

const text = (words: string, messageId?: string): AgentUpdate => ({
  kind: "message",
  role: "agent",
  append: true,
  content: { type: "text", text: words },
  ...(messageId === undefined ? {} : { messageId }),
});
const info = (meta: unknown): AgentUpdate => ({ kind: "info", meta });
const long = `${"x".repeat(1999)}😀`;

test.each<[string, AgentUpdate, object | undefined]>([
  ["a system error", info({ codex: { threadStatus: { type: "systemError" } } }), { hasFailed: true }],
  ["a thread that works again", info({ codex: { threadStatus: { type: "active" } } }), { hasFailed: false }],
  ["a thread that is idle", info({ codex: { threadStatus: { type: "idle" } } }), undefined],
  [
    "an error that is tried again",
    info({ codex: { error: { message: "429", willRetry: true } } }),
    { retriedError: "429" },
  ],
  ["an error of another turn", info({ codex: { error: { message: "401", willRetry: false } } }), { errorText: "401" }],
  ["an error without a text", info({ codex: { error: { willRetry: true } } }), undefined],
  ["a message without an id", text("stream error: 500\n\n"), { errorText: "stream error: 500" }],
  [
    "a variable that is missing",
    info({ codex: { error: { message: "Missing environment variable: `MY_KEY`.", willRetry: false } } }),
    {
      errorText:
        "Missing environment variable: `MY_KEY`. To give it one: `mix agent env set MY_KEY --agent codex`, then close the session and send again.",
    },
  ],
  ["a long message without an id", text(long), { errorText: "x".repeat(1999) }],
  ["a message with an id", text("hello", "m1"), undefined],
  ["an update without meta", info(undefined), undefined],
  ["meta of another shape", info({ codex: "systemError" }), undefined],
  ["another kind of update", { kind: "commands", commands: [], meta: { codex: {} } }, undefined],
])("Codex: %s", (_, update, signs) => {
  expect(codex.quirks?.readSigns?.(update)).toEqual(signs);
});

test("Codex' own login needs no codex on the PATH", () => {
  expect(codex.loginArguments).toEqual(["cli", "login"]);
});
