// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent does wrong is told in its own words, and they may hold what it was given to keep to itself. Here known
// secrets are taken out of them, before they are cut: half a secret is not known again.
import { approximateLength } from "../json/approximate-length.ts";
import { RawJson, stringifyJson } from "../json/raw-json.ts";
import type { AgentEvent, AgentExit } from "./agent-events.ts";
import type { AuthMethod } from "./model.ts";
import type { RpcError } from "./jsonrpc/message.ts";
import { truncateText } from "./jsonrpc/sample.ts";

export type Redact = (text: string) => string;

/** How much of a text beyond its sample is looked at: a secret that begins in the sample ends there. */
const lookaheadCharacters = 64 * 1024;

/** The beginning of a text, without secrets. */
export function redactSample(text: string, charactersMax: number, redact: Redact): string {
  return truncateText(redact(text.slice(0, charactersMax + lookaheadCharacters)), charactersMax);
}

export function redactError({ code, message, data }: RpcError, redact: Redact): RpcError {
  const told = { code, message: redact(message) };
  if (data === undefined) return told;
  // Of a long one no more than the beginning of its text is told.
  if (approximateLength(data, wholeCharactersMax) > wholeCharactersMax) {
    return { ...told, data: redactSample(stringifyJson(data), wholeCharactersMax, redact) };
  }
  return { ...told, data: redactValue(data, redact) };
}

/** What an agent says is its own. What has no name here is not known to be said to anybody. */
export function redactEvent(event: AgentEvent, redact: Redact): AgentEvent {
  if (event.type !== "update" || event.update.kind !== "extension") return event;
  const { kind, method, data } = event.update;
  // Of a long one its size alone is logged: a copy of millions of values would be made to be thrown away.
  if (approximateLength(data, wholeCharactersMax) > wholeCharactersMax)
    return { ...event, update: { kind, method: redact(method), data } };
  return { ...event, update: { kind, method: redact(method), data: redactValue(data, redact) } };
}

export function redactExit(exit: AgentExit, redact: Redact): AgentExit {
  const { spawnError } = exit;
  if (spawnError === undefined) return exit;
  return { ...exit, spawnError: { ...spawnError, message: redact(spawnError.message) } };
}

/** Longer ones are not kept whole by anybody: `extensionBytesMax` of the daemon and `errorDataCharactersMax` are smaller. */
const wholeCharactersMax = 1024 * 1024;

/** Ids of logins stay: they are given back to the agent. */
export function redactAuthMethods(methods: readonly AuthMethod[], redact: Redact): readonly AuthMethod[] {
  return methods.map((method) => ({ ...redactValue(method, redact), id: method.id }));
}

/** A JSON value with the secrets taken out of its strings, of its members' names, and of numbers that are kept as text. */
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

/** A number that is no secret stays one. */
function redactNumber(number: RawJson, redact: Redact): unknown {
  const text = redact(number.text);
  return text === number.text ? number : text;
}
