// SPDX-License-Identifier: MIT OR Apache-2.0
// The inputs that wait in the mailbox, and the replies to them.
import { stringifyJson } from "../../../json/raw-json.ts";
import { type ErrorBody, instanceSession } from "../../vocabulary/index.ts";
import { commandIdOf, commandIdMember } from "../core/draft.ts";
import type { Command, Reply, SessionInput } from "../core/input.ts";
import type { NewSession } from "../core/state.ts";

export interface StartInput {
  readonly type: "start";
  readonly command: Command<"agent.session.start">;
  readonly session: NewSession;
  /** Arguments that the log must not show, as JSON. */
  readonly literals?: string;
}

export type Input = SessionInput | StartInput;

export interface PostedInput {
  readonly session: string;
  readonly input: Input;
  /** `runSeq` of the run whose agent posted it. */
  readonly runSeq?: number;
}

/** A reply as it is sent; a retry gets the same text. */
export interface SentReply {
  readonly caller: number;
  readonly rc: number;
  readonly body: string;
}

/** An input whose caller waits for a reply. */
export type CommandInput = Extract<Input, { readonly command: unknown }>;

export function isCommandInput(input: Input): input is CommandInput {
  return "command" in input;
}

/** Returns the scope in which the input's command id is unique. */
export function commandIdScope(posted: PostedInput): string {
  return posted.input.type === "start" ? instanceSession : posted.session;
}

export function toSentReply(reply: Reply): SentReply {
  return { caller: reply.caller, rc: reply.rc, body: stringifyJson(reply.body) };
}

export function toRefusalReply({ input }: PostedInput, refusal: ErrorBody): SentReply {
  if (!isCommandInput(input)) throw new Error(`a ${input.type} cannot be refused`);
  const { args, caller } = input.command;
  return toSentReply({ caller, rc: 10, body: { ...refusal, ...commandIdMember(commandIdOf(args)) } });
}
