// SPDX-License-Identifier: MIT OR Apache-2.0
// The model as docs/authority.md has it, and the cells of that page: what people read is what the tests hold agentd to.
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
  const lines = Object.values(grants).map(({ field, what, agent, client, ...more }) => {
    const fields = `\`${field}\`${"also" in more ? `, ${more.also}` : ""}`;
    return line([fields, what, words.any, words[agent], words[client]]);
  });
  return table(["argument", "", "people, other nodes", "agent", "MCP client"], lines);
}

const words: Readonly<Record<Bound, string>> = { any: "yes", own: "its own", none: "no" };

function cellOf(ruling: Ruling): string {
  if (ruling === "yes") return ruling;
  if (ruling === "if mesh" || ruling === "if agents_act") return `with \`${ruling.slice(3)}\``;
  return `\`${refusals[ruling].code}\``;
}

type Rule = NonNullable<(typeof rules)[Act]>;

/** Acts that are ruled alike share a line. */
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
  /** Undefined: whatever it is about. */
  readonly target: Target | undefined;
  /** As the page has it. */
  readonly says: string;
}

/** Of the page's first table, but for what cannot be. */
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

/** The code that the page's cell means; undefined: allowed. */
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
