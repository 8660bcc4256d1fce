// SPDX-License-Identifier: MIT OR Apache-2.0
// Completes the command at the beginning of a line: one of the agent's with a slash, or one of ours with a colon.
import { displayWidth } from "../../display/width.ts";
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
  const shown = names.slice(0, candidatesMax);
  const columns = Math.min(nameColumnsMax, Math.max(...shown.map(displayWidth)));
  return {
    added: names.reduce(commonStart).slice(begun.length),
    candidates: [
      ...shown.map((name) => {
        const gap = " ".repeat(2 + Math.max(0, columns - displayWidth(name)));
        return `  ${mark}${name}${gap}${known.get(name) ?? ""}`;
      }),
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
/** Descriptions stand below one another, but a very long name does not push them all aside. */
const nameColumnsMax = 24;
