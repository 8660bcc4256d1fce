// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import type { Cost } from "../../agentd/vocabulary/usage.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { nameOrId } from "../view/next-step.ts";
import { homePath } from "../process/home-path.ts";
import { usageError } from "../process/mix-error.ts";
import { localTime } from "../view/local-time.ts";
import { describeContext, describeError, describeUsage } from "../view/log-entry.ts";
import { formatElicitationTable, formatOptionTable, formatPermissionTable } from "../view/reply-tables.ts";
import { detectFit, formatFacts, formatTable, type TableFit } from "../view/table.ts";
import { formatAge, formatCount } from "../../display/units.ts";
import { unansweredMessage } from "../watch/turn-outcome.ts";
import { sessionReference } from "../references/session-reference.ts";
import { writeTurns } from "../watch/write-transcript.ts";

export const spec: VerbSpec = {
  usage: "agent show [session]",
  about:
    "Shows a session's current state: turns, use of tokens, options, the agent's commands, plan, open questions. With --transcript it shows the conversation, as attach does.",
  flags: {
    transcript: { kind: "switch", about: "the conversation, for people (programs: log --json)", isMain: true },
    turn: { kind: "text", value: "N", about: "with --transcript: only this turn", isMain: true },
    ...tableFlag,
  },
  examples: ["mix agent show abc", "mix agent show abc --transcript | less -R"],
  sessions: "any",
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, context, output, read } = invocation;
  const wantsTranscript = args.switch("transcript");
  const turn = args.count("turn", 1);
  if (turn !== undefined && !wantsTranscript) throw usageError("--turn goes with --transcript");
  if (wantsTranscript && output.mode !== "people")
    throw usageError("--transcript is a text for people; `mix agent log <session> --json` has the entries");
  const bus = await read("agentd");
  const reference = await sessionReference(invocation, bus, args.positionals[0], spec.sessions);
  const snapshot = await bus.ask("agent.session.get", { session: reference });
  const fit = detectFit(context, args.switch("no-trunc"));
  if (wantsTranscript) {
    const hasWritten = await writeTurns(invocation, bus, snapshot, turn);
    if (!hasWritten) output.word(turn === undefined ? "nothing was said yet" : `there is no turn ${turn}`);
  } else if (output.mode === "json") await output.document("mix.session.v1", snapshot);
  else if (output.mode === "ids") await output.line(snapshot.session);
  else for (const line of formatSnapshot(snapshot, context.now(), fit)) await output.line(line);
}

function formatSnapshot(one: SessionSnapshot, now: number, fit: TableFit): string[] {
  const directories = [one.cwd, ...one.additional_dirs].map((path) => homePath(path, fit));
  const facts: (readonly [string, string | undefined])[] = [
    ["session", one.session],
    ["name", one.name],
    ["agent", describeAgent(one)],
    ["command", one.command?.join(" ")],
    ["state", one.reason === undefined ? one.state : `${one.state} (${one.reason})`],
    ["error", one.error && describeError(one.error)],
    ["turn", describeTurns(one)],
    ["title", one.title],
    ["directory", directories[0]],
    ["policy", one.policy],
    ["extra dirs", directories.length === 1 ? undefined : directories.slice(1).join(", ")],
    ["context", (one.usage && describeContext(one.usage)) || undefined],
    ["used", describeTotal(one)],
    // Before the first turn has ended, only the agent's own sum is known.
    ["cost", one.usage_total?.cost === undefined ? describeCost(one.usage?.cost) : undefined],
    ["parent", one.parent],
    ["children", one.children.length === 0 ? undefined : one.children.join(", ")],
    ["unanswered", unansweredMessage((one.unanswered?.permissions ?? 0) + (one.unanswered?.elicitations ?? 0))],
    ["left out", one.left_out?.join(", ")],
    ["started", describeTime(one.created_at, now)],
    ["last entry", describeTime(one.updated_at, now)],
    ["cursor", one.cursor],
  ];
  const permissions = one.requests.filter((open) => open.kind === "permission");
  const elicitations = one.requests.filter((open) => open.kind === "elicitation");
  const names = new Map([[one.session, nameOrId(one)]]);
  const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return [
    ...formatFacts(known, fit),
    ...toParagraph(one.options.length === 0 ? [] : formatOptionTable(one.options, fit)),
    ...toParagraph(one.commands.length === 0 ? [] : formatCommandTable(one.commands, fit)),
    ...toParagraph(one.plan.length === 0 ? [] : formatPlanTable(one.plan, fit)),
    ...toParagraph(permissions.length === 0 ? [] : formatPermissionTable(permissions, names, now, fit)),
    ...toParagraph(elicitations.length === 0 ? [] : formatElicitationTable(elicitations, names, now, fit)),
  ];
}

function formatCommandTable(commands: SessionSnapshot["commands"], fit: TableFit): string[] {
  const rows = commands.map(({ name, description }) => [`/${name}`, description]);
  return formatTable([["COMMAND", "WHAT"], ...rows], fit, [{ column: 1, min: 16 }]);
}

function formatPlanTable(plan: SessionSnapshot["plan"], fit: TableFit): string[] {
  const rows = plan.map(({ status, content }) => [status.replaceAll("_", " "), content]);
  return formatTable([["PLAN", "STEP"], ...rows], fit, [{ column: 1, min: 16 }]);
}

function toParagraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function describeTime(at: string, now: number): string {
  const { day, time } = localTime(at);
  return `${day} ${time}, ${formatAge(now - Date.parse(at))} ago`;
}

function describeAgent({ agent, agent_info: info }: SessionSnapshot): string {
  return info === null ? agent : `${agent} (${info.title ?? info.name} ${info.version})`;
}

function describeTurns({ running, queued, turns }: SessionSnapshot): string {
  const waiting = queued.length === 0 ? "" : `, ${queued.length} queued`;
  return `${running === null ? `${turns} so far` : `${running.turn} ${running.state}`}${waiting}`;
}

function describeCost(cost: Cost | undefined): string | undefined {
  return cost && `${cost.amount} ${cost.currency} so far`;
}

function describeTotal({ usage_total: total }: SessionSnapshot): string | undefined {
  return total && `${describeUsage(total)} in ${formatCount(total.turns, "turn")}`;
}
