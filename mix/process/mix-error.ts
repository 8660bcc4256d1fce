// SPDX-License-Identifier: MIT OR Apache-2.0
// The errors of mix itself. Whoever catches an error of a request catches `AgentError`, which these extend.
import { AgentError, type ClientCode } from "../../agent-client/agent-error.ts";

/** Codes of mix itself. Every other code is of the client, or came over the Bus. */
const mixCodes = {
  USAGE: "the command line is wrong",
  UNANSWERED: "a question went unanswered because nobody could be asked",
  TURN_ENDED: "a followed turn did not end by itself",
  SESSION_ENDED: "a followed session has ended",
  SESSION_UNKNOWN: "no session of this directory",
  REQUEST_UNKNOWN: "no question is open",
  OUTPUT_UNWRITABLE: "stdout cannot be written",
} as const;

export class MixError extends AgentError {
  override readonly name = "MixError";
}

export function ownError(code: keyof typeof mixCodes | ClientCode, message: string, cause?: unknown): MixError {
  return new MixError(code, message, { cause });
}

/** Says what the client cannot know: the command that helps, and that arguments which cannot be sent are a wrong usage. */
export function inWordsOfMix({ code, message }: AgentError): { readonly code: string; readonly message: string } {
  if (code === "UNSERIALISABLE") return { code: "USAGE", message };
  return code === "SERVICE_UNKNOWN" ? { code, message: `${message}; \`mix services\` lists them` } : { code, message };
}

export function usageError(message: string): MixError {
  return ownError("USAGE", message);
}
