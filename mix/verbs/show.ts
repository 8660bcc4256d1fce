// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { unansweredMessage } from "../watch/turn-outcome.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { formatCount } from "./log-maintenance.ts";
import { formatTable } from "../view/table.ts";
import { formatElicitationTable, formatOptionTable, formatPermissionTable } from "../view/reply-tables.ts";

export const spec: VerbSpec = {
  usage: "agent show <session>",
  about: "Shows a session's current state: turns, options, plan, open questions.",
  flags: {},
  examples: ["mix agent show abc"],
};

export async function run({ args, context, output, read }: Invocation): Promise<void> {
  const bus = await read("agentd");
  const snapshot = await bus.ask("agent.session.get", { session: args.word(0) });
  if (output.mode === "json") await output.document("mix.session.v1", snapshot);
  else if (output.mode === "ids") await output.line(snapshot.session);
  else for (const line of formatSnapshot(snapshot, context.now())) await output.line(line);
}

function formatSnapshot(one: SessionSnapshot, now: number): string[] {
  const facts: (readonly [string, string | undefined])[] = [
    ["session", one.session],
    ["name", one.name],
    ["agent", describeAgent(one)],
    ["state", one.reason === undefined ? one.state : `${one.state} (${one.reason})`],
    ["error", one.error === undefined ? undefined : `${one.error.error_code}: ${one.error.message}`],
    ["turn", describeTurns(one)],
    ["title", one.title],
    ["directory", one.cwd],
    ["policy", one.policy],
    ["extra dirs", one.additional_dirs.length === 0 ? undefined : one.additional_dirs.join(", ")],
    ["context", describeUsage(one)],
    ["used", describeTotal(one)],
    ["parent", one.parent],
    ["children", one.children.length === 0 ? undefined : one.children.join(", ")],
    ["unanswered", unansweredMessage((one.unanswered?.permissions ?? 0) + (one.unanswered?.elicitations ?? 0))],
    ["left out", one.left_out?.join(", ")],
    ["started", one.created_at],
    ["cursor", one.cursor],
  ];
  const permissions = one.requests.filter((open) => open.kind === "permission");
  const elicitations = one.requests.filter((open) => open.kind === "elicitation");
  const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return [
    ...formatTable(known),
    ...toParagraph(one.options.length === 0 ? [] : formatOptionTable(one.options)),
    ...toParagraph(one.plan.map(({ content, status }) => `${status}  ${content}`)),
    ...toParagraph(permissions.length === 0 ? [] : formatPermissionTable(permissions, now)),
    ...toParagraph(elicitations.length === 0 ? [] : formatElicitationTable(elicitations, now)),
  ];
}

function toParagraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function describeAgent({ agent, agent_info: info }: SessionSnapshot): string {
  return info === null ? agent : `${agent} (${info.title ?? info.name} ${info.version})`;
}

function describeTurns({ running, queued, turns }: SessionSnapshot): string {
  const waiting = queued.length === 0 ? "" : `, ${queued.length} queued`;
  return `${running === null ? `${turns} so far` : `${running.turn} ${running.state}`}${waiting}`;
}

function describeUsage({ usage }: SessionSnapshot): string | undefined {
  if (usage === null || usage.used === null) return undefined;
  return usage.size === null ? `${usage.used} tokens` : `${usage.used} of ${usage.size} tokens`;
}

function describeTotal({ usage_total: total }: SessionSnapshot): string | undefined {
  if (total === undefined) return undefined;
  const counts = [
    [total.total_tokens, "tokens"],
    [total.input_tokens, "in"],
    [total.output_tokens, "out"],
    [total.cost?.amount, total.cost?.currency],
  ] as const;
  const known = counts.flatMap(([count, unit]) => (count === undefined ? [] : [`${count} ${unit}`]));
  return `${known.join(", ")} in ${formatCount(total.turns, "turn")}`;
}
