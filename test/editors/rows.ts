// SPDX-License-Identifier: MIT OR Apache-2.0
// The rows of the table of editors, in its order. Each is one test for each client that can do it.
import { test } from "vitest";
import type { Cell } from "../harness/result-table.ts";

export const rowTitles = {
  text: "a session, a prompt and its answer",
  allowed: "permission allowed",
  rejected: "permission rejected",
  cancel: "cancelled while streaming",
  again: "prompted at once after a cancel",
  load: "brought back in a new process",
  list: "sessions listed",
  mode: "mode set",
  option: "option set",
  end: "ended in a turn, nothing left",
  opencode: "OpenCode: an answer, and a tool allowed",
} as const;

export type RowId = keyof typeof rowTitles;
export type Row = (id: RowId, check: () => Promise<string | void>) => void;

export interface ClientInTable {
  readonly name: string;
  /** What the client itself cannot do; the cell is empty. */
  readonly cannot: readonly RowId[];
  /** Rows that fail today, with the reason: each is a fault of ours that is known and not mended. */
  readonly failing: Readonly<Partial<Record<RowId, string>>>;
}

/** Declares the rows of one client. What a check returns is what its cell says, else "yes". */
export function rowsOf({ name, cannot, failing }: ClientInTable): Row {
  return (row, check) => {
    if (cannot.includes(row)) return;
    const reason = failing[row];
    const cell: Cell = { column: name, row, ...(reason === undefined ? {} : { failing: reason }) };
    test(`${name}: ${rowTitles[row]}`, { fails: reason !== undefined }, async ({ task }) => {
      task.meta.cell = cell;
      task.meta.cell = { ...cell, seen: (await check()) ?? "yes" };
    });
  };
}
