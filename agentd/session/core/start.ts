// SPDX-License-Identifier: MIT OR Apache-2.0
// The first decision of a session: its start command.
import type { StateEntry } from "../../vocabulary/entries.ts";
import { Draft } from "./draft.ts";
import type { Command, StepContext, Decision } from "./input.ts";
import { type NewSession, newSession, type SessionState } from "./state.ts";
import { acceptPrompt, toBlocks } from "./turns.ts";

/** Creates the session. The caller has checked directories, program, name and limits, so this never refuses. */
export function startSession(
  command: Command<"agent.session.start">,
  session: NewSession,
  context: StepContext,
): Decision {
  const initial = newSession(session);
  const draft = new Draft(initial, context);
  const { state } = draft;
  const { prompt, config } = command.args;
  state.run = { phase: "starting", openMode: "new", config: Object.entries(config), failsAs: "failed" };
  state.busToolsCheckDue = context.settings.busTools;
  const seq = draft.command(command);
  state.runSeq = seq;
  state.startedBy = command.by;
  draft.add(toStartingEntry(state));
  let first: { turn?: number } = {};
  if (prompt !== undefined) {
    const blocks = toBlocks(prompt);
    const turn = acceptPrompt(draft, blocks, "queued");
    state.queue = [{ turn, by: command.by, blocks }];
    first = { turn };
  }
  draft.accept(command, seq, { state: "starting", ...first });
  draft.effect({ type: "launch", state: { ...state } });
  return draft.decision();
}

/** Returns the entry that begins a run. It carries everything that a later run needs to know of the session. */
export function toStartingEntry(state: SessionState): StateEntry {
  return {
    kind: "state",
    state: "starting",
    agent: state.agent,
    ...(state.command === undefined ? {} : { command: state.command }),
    ...(state.name === undefined ? {} : { name: state.name }),
    cwd: state.cwd,
    additional_dirs: state.additionalDirs,
    ...(state.parent === undefined ? {} : { parent: state.parent }),
    ...(state.env.length === 0 ? {} : { env: state.env }),
    ...(state.policy === undefined ? {} : { policy: state.policy }),
  };
}
