// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes the model as the tables of docs/authority.md, and reads that page's cells, so that the tests check agentd
// against what people read.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Act, type Bound, grants, refusals, rules, type Ruling } from "../model.ts";
import { type SenderKind, senders, type Target, targets } from "../sender.ts";

export const page = readFileSync(fileURLToPath(new URL("../../../docs/authority.md", import.meta.url)), "utf8");

const columns: Readonly<Record<SenderKind, string>> = {
  person: "person",
  nameless: "no name",
  node: "other node",
  agent: "agent",
  child: "child's agent",
  client: "MCP client",
};

const rows: Readonly<Record<Target, string>> = {
  own: "its own session",
  ancestor: "an ancestor",
  started: "one that it started",
  other: "any other",
};

/** An agent without a parent has no ancestors, an MCP client no session, and a child's agent starts none. */
const impossible: ReadonlySet<string> = new Set(["agent ancestor", "child started", "client own", "client ancestor"]);

export function actsTable(): string {
  const lines = [...byRule()].flatMap(([rule, acts]) => {
    const isByTarget = Object.values(rule).some((cell) => typeof cell !== "string");
    return (isByTarget ? targets : [undefined]).map((target) => {
      const ruled = senders.map((sender) => {
        const cell = rule[sender];
        if (target !== undefined && impossible.has(`${sender} ${target}`)) return "–";
        return cellOf(typeof cell === "string" ? cell : cell[target ?? "other"]);
      });
      return line([acts.map((act) => `\`${act}\``).join(" "), target === undefined ? "" : rows[target], ...ruled]);
    });
  });
  return table(["", "on", ...senders.map((sender) => columns[sender])], lines);
}

export function grantsTable(): string {
  const lines = Object.values(grants).map(({ field, what, others, agent, client, ...more }) => {
    const fields = `\`${field}\`${"also" in more ? `, ${more.also}` : ""}`;
    return line([fields, what, words.any, words[others], words[agent], words[client]]);
  });
  return table(["argument", "", "person", "no name, other node", "agent", "MCP client"], lines);
}

const words: Readonly<Record<Bound, string>> = { any: "yes", own: "its own", none: "no" };

function cellOf(ruling: Ruling): string {
  if (ruling === "yes") return ruling;
  if (ruling === "if mesh" || ruling === "if agents_act") return `with \`${ruling.slice(3)}\``;
  return `\`${refusals[ruling].code}\``;
}

type Rule = NonNullable<(typeof rules)[Act]>;

/** Acts with the same rule share a line. */
function byRule(): Map<Rule, Act[]> {
  const found = new Map<Rule, Act[]>();
  for (const [act, rule] of Object.entries(rules) as [Act, Rule][]) found.set(rule, [...(found.get(rule) ?? []), act]);
  return found;
}

function line(texts: readonly string[]): string {
  return `| ${texts.join(" | ")} |`.replaceAll(/ {2,}/g, " ");
}

function table(head: readonly string[], lines: readonly string[]): string {
  return [line(head), line(head.map(() => "---")), ...lines].join("\n");
}

export interface Cell {
  readonly act: Act;
  readonly sender: SenderKind;
  /** Undefined: the cell applies to every target. */
  readonly target: Target | undefined;
  /** The cell's text. */
  readonly says: string;
}

/** Reads the cells of the page's first table, without the impossible ones. */
export function cells(): readonly Cell[] {
  const written = page.split("\n").filter((one) => one.startsWith("| `agent.") || one.startsWith("| `QUIT"));
  return written.flatMap((one) => {
    const [first = "", on, ...says] = one
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    const target = targets.find((candidate) => rows[candidate] === on);
    const acts = Array.from(first.matchAll(/`([^`]+)`/g), ([, act]) => act as Act);
    return acts.flatMap((act) =>
      senders.flatMap((sender, index) => {
        const cell = says[index] ?? "";
        return cell === "–" ? [] : [{ act, sender, target, says: cell }];
      }),
    );
  });
}

/** Returns the error code that a cell stands for; undefined if it allows the act. */
export function codeIn(says: string, allowances: { readonly mesh: string; readonly agentsAct: string }) {
  switch (says) {
    case "yes":
      return undefined;
    case "with `mesh`":
      return allowances.mesh === "answer" ? undefined : "UNSUPPORTED";
    case "with `agents_act`":
      return allowances.agentsAct === "any" ? undefined : "AGENT_SELF";
    default:
      return says.replaceAll("`", "");
  }
}
