// SPDX-License-Identifier: MIT OR Apache-2.0
// Completes the command at the beginning of a line: one of the agent's with a slash, or one of ours with a colon.
import type { CommandsEntry } from "../../agentd/vocabulary/entries.ts";
import { printableLine } from "../../display/printable.ts";

export interface Completion {
  /** What to insert at the cursor. */
  readonly added: string;
  /** What it could be, for people; empty if there is only one possibility. */
  readonly candidates: readonly string[];
}

type Command = CommandsEntry["commands"][number];

/** Undefined if the text before the cursor is not the beginning of a command. */
export function completion(
  before: string,
  commands: { readonly "/": readonly Command[]; readonly ":": readonly Command[] },
): Completion | undefined {
  const [, mark, begun = ""] = /^\s*([/:])(\S*)$/.exec(before) ?? [];
  if (mark !== "/" && mark !== ":") return undefined;
  const known = new Map(commands[mark].filter(isTypable).map((command) => [command.name, command.description]));
  const names = Array.from(known.keys(), (name) => name).filter((name) => name.startsWith(begun));
  const [first] = names;
  if (first === undefined) return undefined;
  if (names.length === 1) return { added: `${first.slice(begun.length)} `, candidates: [] };
  const left = names.length - candidatesMax;
  return {
    added: names.reduce(commonStart).slice(begun.length),
    candidates: [
      ...names.slice(0, candidatesMax).map((name) => `  ${mark}${name}  ${known.get(name) ?? ""}`),
      ...(left > 0 ? [`  … ${left} more`] : []),
    ],
  };
}

/** An agent's name for a command is inserted only if it can be read and typed. */
function isTypable({ name }: Command): boolean {
  return /^\S+$/.test(name) && printableLine(name) === name;
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

const candidatesMax = 12;
