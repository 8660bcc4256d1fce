// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent` at a terminal, without a verb.
import { endedPhases, livePhases } from "../../agentd/vocabulary/entries.ts";
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { logEntries } from "../../agent-client/entries/read-log.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { listSessions } from "../../agent-client/requests/sessions.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { detectScreen } from "../view/live-view.ts";
import { type Overview, renderBeginning, renderOverview } from "../view/overview.ts";
import { detectFit } from "../view/table.ts";

export const spec: VerbSpec = {
  usage: "agent",
  about: "Shows which sessions wait for you, which run and which ended.",
  flags: {},
  examples: ["mix agent"],
  neverStarts: true,
};

export async function run({ context, output, read }: Invocation): Promise<void> {
  const { style } = detectScreen(context);
  const overview = await readOverview(read).catch((error: unknown) => {
    if (error instanceof AgentError && error.code === "UNREACHABLE") return error;
    throw error;
  });
  const lines =
    overview instanceof AgentError
      ? renderBeginning(style, overview.message)
      : renderOverview(overview, context.now(), detectFit(context, false), style);
  for (const line of lines) await output.line(line);
}

async function readOverview(read: Invocation["read"]): Promise<Overview> {
  const bus = await read("running-agentd");
  const live = await listSessions(bus, { state: [...livePhases] });
  const [permissions, elicitations, ended] = await Promise.all([
    bus.ask("agent.permission.list", {}),
    bus.ask("agent.elicitation.list", {}),
    bus.ask("agent.session.list", { state: [...endedPhases], limit: endedRead }),
  ]);
  const latest = ended.sessions
    .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at))
    .slice(0, endedShown);
  const running = live.filter(({ state }) => state === "running").slice(0, runningRead);
  const starts = await Promise.all(running.map((one) => runningSince(bus, one)));
  return {
    waiting: [...permissions.requests, ...elicitations.requests],
    live,
    ended: await Promise.all(latest.map(({ session }) => bus.ask("agent.session.get", { session }))),
    turnStarts: new Map(starts.flat()),
  };
}

/** Sessions are listed by their start; those that ended last are among the newest. */
const endedRead = 50;
const endedShown = 3;
const runningRead = 11;

async function runningSince(bus: ReadingBus, { session }: SessionSummary): Promise<[string, string][]> {
  const { running } = await bus.ask("agent.session.get", { session });
  if (running === null) return [];
  for await (const entry of logEntries(bus, session, 0, { kinds: ["turn"], turn: running.turn })) {
    if (entry.kind === "turn" && entry.phase === "started") return [[session, entry.at]];
  }
  return [];
}
