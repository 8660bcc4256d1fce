// SPDX-License-Identifier: MIT OR Apache-2.0
// Removes known secrets from the agent's text in faults and failures. Always redact before truncating: half a secret
// would not be recognised.
import { approximateLength } from "../json/approximate-length.ts";
import { RawJson, stringifyJson } from "../json/raw-json.ts";
import type { AgentEvent, AgentExit } from "./agent-events.ts";
import type { AuthMethod } from "./model.ts";
import type { RpcError } from "./jsonrpc/message.ts";
import { truncateText } from "./jsonrpc/sample.ts";

export type Redact = (text: string) => string;

/** How far beyond the sample a text is redacted, so that a secret that begins in the sample is found whole. */
const lookaheadCharacters = 64 * 1024;

/** Returns the beginning of a text, redacted. */
export function redactSample(text: string, charactersMax: number, redact: Redact): string {
  return truncateText(redact(text.slice(0, charactersMax + lookaheadCharacters)), charactersMax);
}

export function redactError({ code, message, data }: RpcError, redact: Redact): RpcError {
  const redacted = { code, message: redact(message) };
  if (data === undefined) return redacted;
  // Only the beginning of long data is reported, so there is no need to copy all of it.
  if (approximateLength(data, wholeCharactersMax) > wholeCharactersMax) {
    return { ...redacted, data: redactSample(stringifyJson(data), wholeCharactersMax, redact) };
  }
  return { ...redacted, data: redactValue(data, redact) };
}

/**
 * Redacts extensions only: messages and tool calls are the agent's own content, but the purpose of an unknown message
 * is not known.
 */
export function redactEvent(event: AgentEvent, redact: Redact): AgentEvent {
  if (event.type !== "update" || event.update.kind !== "extension") return event;
  const { kind, method, data } = event.update;
  // Only the size of long data is logged, so there is no need to copy all of it.
  if (approximateLength(data, wholeCharactersMax) > wholeCharactersMax)
    return { ...event, update: { kind, method: redact(method), data } };
  return { ...event, update: { kind, method: redact(method), data: redactValue(data, redact) } };
}

export function redactExit(exit: AgentExit, redact: Redact): AgentExit {
  const { spawnError } = exit;
  if (spawnError === undefined) return exit;
  return { ...exit, spawnError: { ...spawnError, message: redact(spawnError.message) } };
}

/** Longer values are never kept whole: the daemon's `extensionBytesMax` and `errorDataCharactersMax` are smaller. */
const wholeCharactersMax = 1024 * 1024;

/** Leaves the ids as they are, since they are sent back to the agent. */
export function redactAuthMethods(methods: readonly AuthMethod[], redact: Redact): readonly AuthMethod[] {
  return methods.map((method) => ({ ...redactValue(method, redact), id: method.id }));
}

/** Redacts the strings of a JSON value, the names of its members, and numbers that are kept as text. */
export function redactValue<T>(value: T, redact: Redact): T {
  return redactUnknown(value, redact) as T;
}

function redactUnknown(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof RawJson) return redactNumber(value, redact);
  if (Array.isArray(value)) return value.map((element) => redactUnknown(element, redact));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), redactUnknown(member, redact)]),
  );
}

function redactNumber(number: RawJson, redact: Redact): unknown {
  const text = redact(number.text);
  return text === number.text ? number : text;
}
