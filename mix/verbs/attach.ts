// SPDX-License-Identifier: MIT OR Apache-2.0
import { lastTurnStart } from "../../agent-client/entries/read-log.ts";
import { Attachment } from "../attach/attachment.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import { endedOutcome, isUnanswered, unansweredMessage, reportFailure } from "../watch/turn-outcome.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { watchSession } from "../watch/watch-session.ts";

export const spec: VerbSpec = {
  usage: "agent attach <session>",
  about:
    "Shows a session live from its last turn on. On a terminal it has a prompt line: a line is a prompt (queued while a turn runs). While a question is open, the line is the answer: y, n or an option's number, or a form's fields as field=value. :help lists the colon commands. :detach and Ctrl-C detach; the session continues.",
  flags: { "read-only": { kind: "switch", about: "watch only: neither prompt nor answer" } },
  examples: ["mix agent attach abc"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, output } = invocation;
  const bus = await invocation.connect("agentd");
  const snapshot = await bus.ask("agent.session.get", { session: args.word(0) });
  const { session } = snapshot;
  const isOver = endedOutcome(snapshot) !== undefined;
  output.word(`session ${session} (${snapshot.agent}) is ${snapshot.state} in ${snapshot.cwd}`);
  const takesInput = isInteractive(invocation) && !args.switch("read-only") && !isOver;
  const attachment = takesInput ? new Attachment(invocation, bus, session, snapshot.state) : undefined;
  let unanswered = 0;
  const outcome = await watchSession(invocation, bus, {
    session,
    after: await lastTurnStart(bus, snapshot),
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
  return outcome;
}
