// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends a run with one table of what its tests told, columns by rows, which is also written to a file.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** What a test tells the table of one cell. */
export interface Cell {
  /** The title of its column. */
  readonly column: string;
  readonly row: string;
  /** What was seen, where the test has passed. */
  readonly seen?: string;
  /** Why the test is expected to fail. */
  readonly failing?: string;
}

declare module "vitest" {
  interface TaskMeta {
    cell?: Cell;
  }
}

/** The titles of all rows by their ids, in the order of the table. */
export type RowTitles = Readonly<Record<string, string>>;

export class ResultTable implements Reporter {
  readonly #rows: RowTitles;
  readonly #file: string;

  constructor(rows: RowTitles, file: string) {
    this.#rows = rows;
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const cells = modules.flatMap((module) => [...module.children.allTests()].flatMap(told));
    const table = tableOf(cells, this.#rows);
    if (table === "") return;
    process.stdout.write(`\n${table}`);
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, table);
  }
}

interface Told extends Pick<Cell, "column" | "row"> {
  readonly words: string;
}

function told(test: TestCase): Told[] {
  const { cell } = test.meta();
  return cell === undefined ? [] : [{ column: cell.column, row: cell.row, words: wordsOf(cell, test.result().state) }];
}

export function wordsOf({ seen, failing }: Pick<Cell, "seen" | "failing">, state: string): string {
  if (failing === undefined) return state === "passed" ? (seen ?? "yes") : `**${state}**`;
  return state === "passed" ? `fails as expected: ${failing}` : `**works now**, was expected to fail: ${failing}`;
}

/** Markdown, with the columns aligned. Empty where there are no cells. */
export function tableOf(cells: readonly Told[], rows: RowTitles): string {
  if (cells.length === 0) return "";
  const columns = [...new Set(cells.map(({ column }) => column))].toSorted();
  const wordsAt = (row: string, column: string): string =>
    cells.find((cell) => cell.row === row && cell.column === column)?.words.replaceAll("|", "\\|") ?? "";
  const seen = Object.keys(rows).filter((row) => cells.some((cell) => cell.row === row));
  const lines = [
    ["", ...columns],
    ...seen.map((row) => [rows[row] ?? row, ...columns.map((column) => wordsAt(row, column))]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const rule = widths.map((width) => "-".repeat(width));
  const [head = [], ...rest] = lines;
  return [head, rule, ...rest]
    .map((line) => `| ${line.map((words, column) => words.padEnd(widths[column] ?? 0)).join(" | ")} |\n`)
    .join("");
}
