// SPDX-License-Identifier: MIT OR Apache-2.0
// What lies in the mailbox, and how it is answered.
import { stringifyJson } from "../../../json/raw-json.ts";
import { type ErrorBody, instanceSession } from "../../vocabulary/index.ts";
import { commandIdOf, commandIdMember } from "../core/draft.ts";
import type { Command, Reply, SessionInput } from "../core/input.ts";
import type { NewSession } from "../core/state.ts";

export interface StartInput {
  readonly type: "start";
  readonly command: Command<"agent.session.start">;
  readonly session: NewSession;
  readonly maxSessions: number;
  /** JSON of what the log may not show. */
  readonly literals?: string;
}

export type Input = SessionInput | StartInput;

export interface PostedInput {
  readonly session: string;
  readonly input: Input;
  /** `lifeSeq` of the life whose agent it comes from. */
  readonly runSeq?: number;
}

/** A reply as it goes out: the text is the one that a retry will get. */
export interface SentReply {
  readonly caller: number;
  readonly rc: number;
  readonly body: string;
}

/** Somebody waits for what becomes of it. */
export type CommandInput = Extract<Input, { readonly command: unknown }>;

export function isCommandInput(input: Input): input is CommandInput {
  return "command" in input;
}

/** Where a command's id is unique. */
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
