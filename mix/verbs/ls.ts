// SPDX-License-Identifier: MIT OR Apache-2.0
import { livePhases, sessionPhases } from "../../agentd/vocabulary/entries.ts";
import { absolutePath } from "../process/absolute-path.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { listSessions, type SessionFilter } from "../../agent-client/requests/sessions.ts";
import { type Invocation, tableFlag, type VerbSpec } from "../input/verb.ts";
import { formatSessionTable } from "../view/reply-tables.ts";
import { detectFit } from "../view/table.ts";
import { watchSessionList } from "../watch/watch-session-list.ts";

export const spec: VerbSpec = {
  usage: "agent ls",
  about: "Lists live sessions, newest first.",
  flags: {
    all: { kind: "switch", short: "a", about: "include ended sessions", isMain: true },
    state: { kind: "texts", value: "STATE", about: "only this state: idle, running, waiting, …", isMain: true },
    agent: { kind: "text", value: "AGENT", about: "only this agent" },
    cwd: { kind: "text", value: "DIR", about: "only this directory" },
    ...tableFlag,
    watch: { kind: "switch", short: "w", about: "keep running and print changes", isMain: true },
  },
  examples: ["mix agent ls --all --agent demo"],
};

export async function run(invocation: Invocation): Promise<Outcome | void> {
  const { args, context, output } = invocation;
  const filter = parseFilter(invocation);
  const fit = detectFit(context, args.switch("no-trunc"));
  if (args.switch("watch")) {
    return watchSessionList(invocation, await invocation.connect("agentd"), filter, fit);
  }
  const sessions = await listSessions(await invocation.read("agentd"), filter);
  if (output.mode === "json") await output.document("mix.sessions.v1", { sessions });
  else if (output.mode === "ids") for (const { session } of sessions) await output.line(session);
  else if (sessions.length === 0)
    output.word(args.switch("all") ? "no sessions" : "no live sessions (--all shows ended ones)");
  else await output.lines(formatSessionTable(sessions, context.now(), fit).join("\n"));
}

function parseFilter({ args, context }: Invocation): SessionFilter {
  const cwd = args.text("cwd");
  const wanted = args.choices("state", sessionPhases);
  const state = wanted.length > 0 ? [...wanted] : args.switch("all") ? undefined : [...livePhases];
  return { state, agent: args.text("agent"), cwd: cwd && absolutePath(context.cwd, cwd) };
}
