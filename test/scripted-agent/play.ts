// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Readable } from "node:stream";
import type { Conversation } from "./conversation.ts";
import type { Output } from "./output.ts";
import type { Json, JsonObject, Step } from "./scenario.ts";
import { fillIn } from "./values.ts";

/** The context of one run of a rule's steps. */
export interface Play {
  /** The frame that matched the rule; absent for "start" and "eof". */
  readonly frame?: JsonObject;
  readonly sessionId: Json | undefined;
  readonly signal: AbortSignal;
  readonly conversation: Conversation;
  readonly output: Output;
  readonly input: Readable;
  readonly correctSteps: () => readonly Step[];
  readonly run: (steps: readonly Step[], play: Play) => Promise<void>;
}

export type StepObject = Exclude<Step, "default">;
/** Selects a step type by the one member that no other step has. */
export type StepNamed<Name extends string> = Extract<StepObject, { readonly [member in Name]: unknown }>;
export type RunStep<S> = (step: S, play: Play) => Promise<void> | void;

/** Replaces "$id" and the other placeholders with their current values. */
export function fillPlaceholders(value: Json, play: Play): Json {
  const sessionId = play.sessionId ?? play.conversation.lastSessionId;
  return fillIn(value, {
    id: play.frame?.["id"],
    sessionId,
    promptId: play.conversation.promptOf(sessionId)?.id,
    requestId: play.conversation.lastRequestId,
    terminalId: play.conversation.lastTerminalId,
    cwd: play.conversation.lastCwd,
  });
}
