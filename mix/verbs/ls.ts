// SPDX-License-Identifier: MIT OR Apache-2.0
import { resolve } from "node:path";
import type { LivePhase, SessionPhase } from "../../agentd/vocabulary/entries.ts";
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import type { AgentBus } from "../bus.ts";
import { done } from "../exit-codes.ts";
import type { Outcome } from "../exit-codes.ts";
import { listenToAgentd } from "../follow/bus-source.ts";
import { usageError } from "../mix-error.ts";
import { allSessions } from "../sessions.ts";
import type { SessionFilter } from "../sessions.ts";
import type { Invocation, VerbSpec } from "../verb.ts";
import { tableLines } from "../view/table.ts";
import { sessionRow, sessionTable } from "../view/tables.ts";

export const spec: VerbSpec = {
  usage: "agent ls",
  about: "Lists live sessions, newest first.",
  flags: {
    all: { kind: "switch", short: "a", about: "ended ones as well" },
    state: { kind: "texts", value: "STATE", about: "in this state: idle, running, waiting, …" },
    agent: { kind: "text", value: "AGENT", about: "of this agent" },
    cwd: { kind: "text", value: "DIR", about: "in this directory" },
    watch: { kind: "switch", short: "w", about: "go on and print what changes" },
  },
  positionals: { min: 0, max: 0 },
  examples: ["mix agent ls --all --agent demo"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const filter = filterOf(invocation);
  const bus = await invocation.connect("agentd", args.switch("watch") ? "citizen" : "reader");
  if (args.switch("watch")) return watched(invocation, bus, filter);
  const sessions = await allSessions(bus, filter);
  if (output.mode === "json") await output.document("mix.sessions.v1", { sessions });
  else if (output.mode === "ids") for (const { session } of sessions) await output.line(session);
  else if (sessions.length === 0)
    output.word(args.switch("all") ? "no sessions" : "no live sessions (--all shows ended ones)");
  else for (const line of sessionTable(sessions, context.now())) await output.line(line);
  return done;
}

// The vocabulary's list is a value, and its types alone may be imported; the compiler holds this one to it.
const phases = {
  starting: "live",
  idle: "live",
  running: "live",
  waiting: "live",
  closing: "live",
  closed: "ended",
  lost: "ended",
  failed: "ended",
} as const satisfies { readonly [Phase in SessionPhase]: Phase extends LivePhase ? "live" : "ended" };
const states = Object.keys(phases) as SessionPhase[];
const live = states.filter((state) => phases[state] === "live");

function filterOf({ args, context }: Invocation): SessionFilter {
  const [agent, cwd] = [args.text("agent"), args.text("cwd")];
  const wanted = args.texts("state").flatMap((text) => text.split(","));
  for (const state of wanted) {
    if (!states.some((one) => one === state)) throw usageError(`no state ${state}; there are: ${states.join(", ")}`);
  }
  const state = wanted.length > 0 ? (wanted as SessionPhase[]) : args.switch("all") ? undefined : [...live];
  return {
    ...(state === undefined ? {} : { state }),
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd: resolve(context.cwd(), cwd) }),
  };
}

// As `kubectl get -w`: what is there, then a line for each that changes. A session that ends is told before it leaves.
async function watched({ context, output }: Invocation, bus: AgentBus, filter: SessionFilter): Promise<Outcome> {
  const known = new Map<string, string>();
  const interrupted = new Promise<"interrupted">((resolved) => {
    context.interrupts.listen(() => resolved("interrupted"));
  });
  let changed = false;
  let wake: () => void = () => undefined;
  const something = (): void => {
    changed = true;
    wake();
  };
  const stop = await listenToAgentd(bus.client, await bus.reader(), { publication: something, missed: something });
  try {
    for (;;) {
      changed = false;
      for (const one of await changedSessions(bus, filter, known)) await shown(one);
      if (changed) continue;
      const change = new Promise<"changed">((resolved) => {
        wake = () => resolved("changed");
      });
      if ((await Promise.race([change, interrupted])) === "interrupted") return { kind: "interrupted" };
    }
  } finally {
    stop();
  }

  async function shown(one: SessionSummary): Promise<void> {
    if (output.mode === "json") return output.row(one);
    if (output.mode === "ids") return output.line(one.session);
    return output.line(tableLines([sessionRow(one, context.now())])[0] ?? "");
  }
}

async function changedSessions(
  bus: AgentBus,
  filter: SessionFilter,
  known: Map<string, string>,
): Promise<SessionSummary[]> {
  const listed = await allSessions(bus, filter);
  const gone = [...known.keys()].filter((session) => !listed.some((one) => one.session === session));
  const left = await Promise.all(gone.map((session) => bus.ask("agent.session.get", { session })));
  for (const session of gone) known.delete(session);
  const changed = listed.filter((one) => known.get(one.session) !== lookOf(one));
  for (const one of changed) known.set(one.session, lookOf(one));
  return [...left, ...changed];
}

function lookOf({ state, reason, turns, title, name }: SessionSummary): string {
  return JSON.stringify([state, reason, turns, title, name]);
}
