// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends a follow while its session continues, and says how to cancel the session's turn. After Ctrl-C, a second one
// within two seconds asks whether to cancel it.
import { askYesOrNo } from "../attach/ask-yes-or-no.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import type { Outcome } from "../process/exit-codes.ts";
import type { Context } from "../process/context.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import type { Invocation } from "../input/verb.ts";
import type { Output } from "../process/output.ts";

const secondInterruptMs = 2_000;

/** The person detached by command, so nothing is asked. Where no turn runs, there is none to cancel. */
export function leave({ output }: Invocation, called: string, isIdle: boolean): Outcome {
  if (!isIdle) sayDetached(output, called);
  else {
    output.word(`detached; session ${called} stays open`);
    output.word(`to come back: mix agent attach ${called}`);
  }
  return { kind: "left" };
}

export interface Detached {
  readonly session: string;
  /** What a person types for the session: its name, if it has one. */
  readonly called: string;
  /** Says how to continue after the entry that was shown last. */
  readonly resumeHint: string;
  /** False after SIGTERM, when nobody waits for a question. */
  readonly canAsk: boolean;
}

export async function detach(
  invocation: Invocation,
  bus: AgentBus,
  { session, called, resumeHint, canAsk }: Detached,
): Promise<Outcome> {
  const { context, output } = invocation;
  const again = secondInterrupt(context);
  try {
    sayDetached(output, called);
    // At a terminal the last turn is seen again with `attach`.
    if (!isInteractive(invocation)) output.word(resumeHint);
    if (!canAsk || !isInteractive(invocation) || !(await hasTurn(bus, session))) return { kind: "interrupted" };
    output.word("Ctrl-C again within 2 s to cancel its turn");
    if (!(await again.came)) return { kind: "interrupted" };
    const yes = await askYesOrNo(context, `cancel the running turn of ${called}?`);
    if (yes) await cancelTurn(invocation, bus, session);
    return { kind: "interrupted" };
  } finally {
    again.cancel();
  }
}

function sayDetached(output: Output, called: string): void {
  output.word(`detached; session ${called} continues`);
  output.word(`to watch:  mix agent attach ${called}`);
  output.word(`to cancel: mix agent cancel ${called}`);
}

// Listens at once: the second Ctrl-C may come while agentd is still being asked whether a turn is running.
function secondInterrupt({ after, interrupts }: Context): {
  readonly came: Promise<boolean>;
  readonly cancel: () => void;
} {
  let settle: (came: boolean) => void = () => undefined;
  const came = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const cancelTimer = after(secondInterruptMs, () => settle(false));
  const stopListening = interrupts.listen(() => settle(true));
  return {
    came,
    cancel: () => {
      cancelTimer();
      stopListening();
    },
  };
}

async function hasTurn(bus: AgentBus, session: string): Promise<boolean> {
  try {
    const { running, queued } = await bus.ask("agent.session.get", { session });
    return running !== null || queued.length > 0;
  } catch (error) {
    if (error instanceof AgentError) return false;
    throw error;
  }
}

async function cancelTurn({ output }: Invocation, bus: AgentBus, session: string): Promise<void> {
  const { turns } = await bus.ask("agent.session.cancel", { session });
  output.word(turns.length === 0 ? "no turn was running any more" : `cancelled: turn ${turns.join(", ")}`);
}
