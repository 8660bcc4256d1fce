// SPDX-License-Identifier: MIT OR Apache-2.0
// What lies in the mailbox, and how it is answered.
import { stringifyJson } from "../../../json/raw-json.ts";
import { type ErrorBody, instanceSession } from "../../vocabulary/index.ts";
import { commandIdOf, idMember } from "../core/draft.ts";
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

export interface Posted {
  readonly session: string;
  readonly input: Input;
  /** `lifeSeq` of the life whose agent it comes from. */
  readonly life?: number;
}

/** A reply as it goes out: the text is the one that a retry will get. */
export interface SentReply {
  readonly caller: number;
  readonly rc: number;
  readonly body: string;
}

/** Somebody waits for what becomes of it. */
export type Commanding = Extract<Input, { readonly command: unknown }>;

export function isCommanding(input: Input): input is Commanding {
  return "command" in input;
}

/** Where a command's id is unique. */
export function scopeOf(posted: Posted): string {
  return posted.input.type === "start" ? instanceSession : posted.session;
}

export function textOf(reply: Reply): SentReply {
  return { caller: reply.caller, rc: reply.rc, body: stringifyJson(reply.body) };
}

export function refusalReply({ input }: Posted, refusal: ErrorBody): SentReply {
  if (!isCommanding(input)) throw new Error(`a ${input.type} cannot be refused`);
  const { args, caller } = input.command;
  return textOf({ caller, rc: 10, body: { ...refusal, ...idMember(commandIdOf(args)) } });
}
