// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Json } from "./scenario.ts";

export interface Placeholders {
  readonly id: Json | undefined;
  readonly sessionId: Json | undefined;
  readonly promptId: Json | undefined;
  readonly requestId: Json | undefined;
  readonly terminalId: Json | undefined;
  readonly cwd: string | undefined;
}

/** Replaces "$id" and the other placeholders; one without a current value becomes null. */
export function fillIn(value: Json, moment: Placeholders): Json {
  if (typeof value === "string") return fillInText(value, moment);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => fillIn(item, moment));
  if (typeof value["$fill"] === "number") return textOfBytes(value["$fill"], value["of"]);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === undefined ? undefined : fillIn(member, moment)]),
  );
}

/** `bytes` is a maximum, since only whole copies are used. */
export function textOfBytes(bytes: number, copied?: Json): string {
  const of = typeof copied === "string" && copied !== "" ? copied : "x";
  return of.repeat(Math.floor(bytes / Buffer.byteLength(of)));
}

function fillInText(text: string, moment: Placeholders): Json {
  switch (text) {
    case "$id":
      return moment.id ?? null;
    case "$sessionId":
      return moment.sessionId ?? null;
    case "$promptId":
      return moment.promptId ?? null;
    case "$requestId":
      return moment.requestId ?? null;
    case "$terminalId":
      return moment.terminalId ?? null;
    case "$cwd":
      return moment.cwd ?? null;
    default:
      return text.startsWith("$cwd/") ? `${moment.cwd ?? ""}${text.slice("$cwd".length)}` : text;
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
