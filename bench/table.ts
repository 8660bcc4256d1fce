// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Finding, passes } from "./finding.ts";

/** The findings as a Markdown table, its columns aligned for a terminal. */
export function tableOf(findings: readonly Finding[]): string {
  const lines = [heading, ...findings.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? "").length)));
  const rule = widths.map((width) => "-".repeat(width));
  return [heading, rule, ...lines.slice(1)]
    .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`)
    .join("");
}

const heading = ["what", "ratio", "lowest-highest", "floor", "", "ours", "compared with"];

function cellsOf(finding: Finding): string[] {
  const { what, ratio, unit, range, goal, ours, other } = finding;
  const floor = "atLeast" in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`;
  const verdict = passes(finding) ? "pass" : "MISS";
  const result = unit === undefined ? ratio.toFixed(2) : `+${ratio.toFixed(2)} ${unit}`;
  return [what, result, range.map((end) => end.toFixed(2)).join("-"), floor, verdict, ours, other];
}
