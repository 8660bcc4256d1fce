// SPDX-License-Identifier: MIT OR Apache-2.0
// The options of a permission as an editor sees them. An option's id is its kind, because some editors decide by the
// id; a kind that comes again is numbered: `allow_once`, `allow_once_2`.
import type { PermissionChoice } from "../../agentd/vocabulary/entries.ts";
import { type PermissionKind, isOneOf, permissionKinds } from "./update.ts";

export interface ShownOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionKind;
}

export interface ShownOptions {
  readonly options: readonly ShownOption[];
  /** Returns the agent's option for the id that the editor chose. */
  readonly choiceOf: (optionId: string) => PermissionChoice | undefined;
}

/**
 * An option of a kind that ACP does not define is left out: editors refuse a question that has one, and none of the four
 * kinds says what it does. It can be chosen elsewhere.
 */
export function shownOptions(choices: readonly PermissionChoice[]): ShownOptions {
  const counts = new Map<string, number>();
  const byId = new Map<string, PermissionChoice>();
  const options: ShownOption[] = [];
  for (const choice of choices) {
    const { kind, name } = choice;
    if (!isOneOf(permissionKinds, kind)) continue;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const optionId = count === 1 ? kind : `${kind}_${count}`;
    options.push({ optionId, name, kind });
    byId.set(optionId, choice);
  }
  return { options, choiceOf: (optionId) => byId.get(optionId) };
}
