// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends a run with one table, agents by rows, which is also written into .real-agents/table.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { repositoryInstallation } from "./installation.ts";
import { type Cell, type RowId, rowTitles } from "./rows.ts";

export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const table = tableOf(modules.flatMap((module) => [...module.children.allTests()].flatMap(told)));
    if (table === "") return;
    process.stdout.write(`\n${table}`);
    mkdirSync(repositoryInstallation.into, { recursive: true });
    writeFileSync(join(repositoryInstallation.into, "table.md"), table);
  }
}

interface Told extends Pick<Cell, "agent" | "row"> {
  readonly words: string;
}

function told(test: TestCase): Told[] {
  const { cell } = test.meta();
  return cell === undefined ? [] : [{ agent: cell.agent, row: cell.row, words: wordsOf(cell, test.result().state) }];
}

export function wordsOf({ seen, failing }: Cell, state: string): string {
  if (failing === undefined) return state === "passed" ? (seen ?? "yes") : `**${state}**`;
  return state === "passed" ? `fails as expected: ${failing}` : `**works now**, was expected to fail: ${failing}`;
}

/** Markdown, with the columns aligned. Empty where there are no cells. */
export function tableOf(cells: readonly Told[]): string {
  if (cells.length === 0) return "";
  const agents = [...new Set(cells.map(({ agent }) => agent))].toSorted();
  const wordsAt = (row: RowId, agent: string): string =>
    cells.find((cell) => cell.row === row && cell.agent === agent)?.words.replaceAll("|", "\\|") ?? "";
  const seen = (Object.keys(rowTitles) as RowId[]).filter((row) => cells.some((cell) => cell.row === row));
  const lines = [
    ["", ...agents],
    ...seen.map((row) => [rowTitles[row], ...agents.map((agent) => wordsAt(row, agent))]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const rule = widths.map((width) => "-".repeat(width));
  const [head = [], ...rest] = lines;
  return [head, rule, ...rest]
    .map((line) => `| ${line.map((words, column) => words.padEnd(widths[column] ?? 0)).join(" | ")} |\n`)
    .join("");
}
