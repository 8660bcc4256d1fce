// SPDX-License-Identifier: MIT OR Apache-2.0
// Helpers for tests: an agent that says one thing, and output split into lines and objects.
import type { ScriptedSession } from "./scripted-session.ts";

export const says =
  (text: string) =>
  (session: ScriptedSession, turn: number): void => {
    session.text(turn, text);
    session.endTurn(turn);
  };

export function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

export function objects(text: string): Record<string, unknown>[] {
  return lines(text).map((line) => JSON.parse(line) as Record<string, unknown>);
}
