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

/** The value with what "$id" and its kin stand for. One that stands for nothing at the moment becomes null. */
export function fillIn(value: Json, moment: Placeholders): Json {
  if (typeof value === "string") return fillInText(value, moment);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => fillIn(item, moment));
  if (typeof value["$fill"] === "number") return textOfBytes(value["$fill"], value["of"]);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === undefined ? undefined : fillIn(member, moment)]),
  );
}

/** The number of bytes is a maximum: only whole copies are taken. */
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
