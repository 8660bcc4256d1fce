// SPDX-License-Identifier: MIT OR Apache-2.0
import { truncateText } from "../../../acp-client/jsonrpc/sample.ts";
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { isRecord } from "../../../json/record.ts";
import type { AgentSigns } from "../../session/core/agent-signs.ts";
import { published } from "./definition.ts";

export const codex = published({
  name: "codex",
  title: "Codex",
  command: ["codex-acp"],
  infoName: "@agentclientprotocol/codex-acp",
  npmPackage: "@agentclientprotocol/codex-acp",
  npmVersion: "2.6.0",
  // Otherwise it offers, and on a machine without a screen waits for, a login that opens a browser.
  env: { NO_BROWSER: "1" },
  // 2.6.0: its own `login` needs a `codex` on the PATH and crashes without one; `cli` runs the one that it brings.
  loginArguments: ["cli", "login"],
  keyVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  // 2.6.0 takes a key from these variables only when it is told to log in.
  keyLogins: { "api-key": ["CODEX_API_KEY", "OPENAI_API_KEY"] },
  keyOnlyLogins: ["api-key"],
  loginFile: { variable: "CODEX_HOME", directory: ".codex", file: "auth.json" },
  quirks: {
    // 2.6.0: a turn whose model failed ends with `end_turn`. The sign is the thread's status before it; the error is a
    // message without an id, which the model's own messages have.
    readSigns,
  },
  lacks: { version: "2.6.0", capabilities: ["mcpSse", "promptAudio"] },
});

function readSigns(update: AgentUpdate): AgentSigns | undefined {
  if (update.kind === "message") {
    const text = update.role === "agent" && update.messageId === undefined ? update.content["text"] : undefined;
    return toText(text, (errorText) => ({ errorText }));
  }
  if (update.kind !== "info" || !isRecord(update.meta) || !isRecord(update.meta["codex"])) return undefined;
  const { threadStatus, error } = update.meta["codex"];
  if (isRecord(threadStatus) && threadStatus["type"] === "systemError") return { hasFailed: true };
  if (isRecord(threadStatus) && threadStatus["type"] === "active") return { hasFailed: false };
  if (!isRecord(error)) return undefined;
  const isRetried = error["willRetry"] === true;
  return toText(error["message"], (text) => (isRetried ? { retriedError: text } : { errorText: text }));
}

/** 2.6.0: of a model provider's `env_key` in its config.toml. */
function withRemedy(text: string): string {
  const [, name] = /^Missing environment variable: `(\w{1,200})`\.?$/u.exec(text) ?? [];
  if (name === undefined) return text;
  return `${text} To give it one: \`mix agent env set ${name} --agent codex\`, then close the session and send again.`;
}

function toText(value: unknown, toSigns: (text: string) => AgentSigns): AgentSigns | undefined {
  const text = typeof value === "string" ? truncateText(value.trim(), errorUnitsMax) : "";
  return text === "" ? undefined : toSigns(withRemedy(text));
}

const errorUnitsMax = 2_000;
