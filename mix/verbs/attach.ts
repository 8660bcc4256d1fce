// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { lastTurn, turnStart } from "../../agent-client/entries/read-log.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import type { Context } from "../process/context.ts";
import { homePath } from "../process/home-path.ts";
import { nameOrId } from "../view/next-step.ts";
import { sayNextStep } from "../watch/say-next-step.ts";
import { writeTranscript } from "../watch/write-transcript.ts";
import { formatCount } from "../../display/units.ts";
import { Attachment } from "../attach/attachment.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import { endedOutcome, isUnanswered, unansweredMessage, reportFailure } from "../watch/turn-outcome.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { watchSession } from "../watch/watch-session.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent attach [session]",
  about:
    "Shows a session live from its last turn on. On a terminal it has a prompt line: a line is a prompt (queued while a turn runs). While a question is open, the line is the answer: y, n or an option's number, or a form's fields as field=value. :help lists the colon commands and keys; a paste waits for Enter. :detach and Ctrl-C detach; the session continues.",
  flags: {
    "read-only": { kind: "switch", about: "watch only: neither prompt nor answer", isMain: true },
    turns: { kind: "text", value: "N", about: "begin with the last N turns (default: 1)" },
    all: { kind: "switch", about: "begin with the whole session" },
  },
  examples: ["mix agent attach abc", "mix agent attach abc --turns 3"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const bus = await invocation.connect("agentd");
  const snapshot = await bus.ask("agent.session.get", {
    session: await sessionReference(invocation, bus, args.positionals[0]),
  });
  const { session } = snapshot;
  const isOver = endedOutcome(snapshot) !== undefined;
  const first = args.switch("all") ? 1 : Math.max(1, lastTurn(snapshot) + 1 - (args.count("turns", 1) ?? 1));
  const after = args.switch("all") ? 0 : await turnStart(bus, session, first);
  // Where none was named, it was said which one was taken.
  if (args.positionals[0] !== undefined) output.word(describeSession(snapshot, context));
  const takesInput = isInteractive(invocation) && !args.switch("read-only") && !isOver;
  const attachment = takesInput ? new Attachment(invocation, bus, session, snapshot) : undefined;
  if (attachment !== undefined)
    attachment.writeHistory = (turns) => writeHistory(invocation, bus, snapshot, { first, after, turns });
  if (first > 1) output.word(earlierMessage(nameOrId(snapshot), first - 1, takesInput));
  let unanswered = 0;
  const outcome = await watchSession(invocation, bus, {
    session,
    called: snapshot.name,
    after,
    showPrompts: true,
    directory: snapshot.cwd,
    reportsFailure: true,
    ...(attachment === undefined ? { asks: false } : { attachment }),
    decide: (entry) => {
      if (isUnanswered(entry)) unanswered += 1;
      // Entries before the snapshot do not decide the outcome. An ended session is shown up to its last entry, because its
      // last `state` entry may be purged.
      if (isOver) return entry.seq < snapshot.last_seq ? undefined : endedOutcome(snapshot);
      return entry.kind !== "state" || entry.seq < snapshot.last_seq ? undefined : endedOutcome(entry);
    },
  });
  const notice = unansweredMessage(unanswered);
  if (notice !== undefined) output.word(notice);
  reportFailure(output, session, outcome);
  if (outcome.kind === "ended") await sayNextStep(invocation, bus, session);
  return outcome;
}

function describeSession({ session, name, agent, state, cwd }: SessionSnapshot, context: Context): string {
  const what = name === undefined ? agent : `${agent} ${name}`;
  return `session ${session} (${what}) is ${state} in ${homePath(cwd, context)}`;
}

function earlierMessage(session: string, count: number, takesInput: boolean): string {
  const how = takesInput ? ":history shows them" : `mix agent show ${session} --transcript shows all`;
  return `${formatCount(count, "turn")} came before this one · ${how}`;
}

/** Writes the turns before the first one that was shown: all, or the last ones. */
async function writeHistory(
  invocation: Invocation,
  bus: AgentBus,
  snapshot: SessionSnapshot,
  { first, after, turns }: { readonly first: number; readonly after: number; readonly turns: number | undefined },
): Promise<void> {
  const { output } = invocation;
  if (first <= 1) return output.word("no turn came before those shown above");
  const from = turns === undefined ? 1 : Math.max(1, first - turns);
  const begin = from === 1 ? 0 : await turnStart(bus, snapshot.session, from);
  await writeTranscript(invocation, bus, snapshot, { after: begin, before: after + 1 });
  output.word(`turn ${first - 1} ends here · turn ${first} is above`);
}
