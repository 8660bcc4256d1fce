// SPDX-License-Identifier: MIT OR Apache-2.0

import { isDeeperThan } from "../json/depth.ts";
import { parseJson, withDoubles } from "../json/raw-json.ts";
import { isRecord } from "../json/record.ts";
import { errorLine, refused } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { IncomingCommand } from "./command.ts";
import { frameBytesMax } from "./wire.ts";
import type { FrameHeaders } from "./wire.ts";

/** A command as a verb's handler sees it. */
export interface Request {
  readonly verb: string;
  /**
   * The JSON object of the body; empty where the body is. Within an argument, a number that JavaScript would write
   * otherwise is a RawJson.
   */
  readonly args: Readonly<Record<string, unknown>>;
  /** Who asks, as the broker stamped it: null for callers without a name, and for all from other nodes. */
  readonly from: string | null;
  /** `local` only where the broker said so. */
  readonly origin: "local" | "mesh";
  readonly headers: FrameHeaders;
  /** Whether anybody waits for an answer. */
  readonly expectsReply: boolean;
  /** Of the connection that brought it. */
  readonly generation: number;
  /** Answers, once. False when that was done before, or nobody is there to hear. */
  reply(answer: Answer): boolean;
}

/** Room for the headers of an answer. */
const answerBytesMax = frameBytesMax - 64 * 1024;

/** `settled` is called once, when the command needs nothing more. */
export function requestOf(
  command: IncomingCommand,
  args: Readonly<Record<string, unknown>>,
  settled: () => void,
): Request {
  const isLocal = command.headers["broker_origin"] === "local";
  let answered = false;
  return {
    verb: command.verb,
    args,
    from: isLocal ? (command.headers["from"] ?? null) : null,
    origin: isLocal ? "local" : "mesh",
    headers: command.headers,
    expectsReply: command.id !== undefined,
    generation: command.generation,
    reply(answer) {
      if (answered) return false;
      answered = true;
      settled();
      return sendAnswer(command, answer);
    },
  };
}

/** An answer that no frame can hold becomes one that says so: silence would cost the caller a minute. */
export function sendAnswer(command: IncomingCommand, answer: Answer): boolean {
  const { body } = answer;
  if (body.length * 3 > answerBytesMax && Buffer.byteLength(body) > answerBytesMax) {
    return sendAnswer(command, refused("REPLY_TOO_LARGE", `the answer has more than ${answerBytesMax} bytes`, {}, 20));
  }
  return command.reply(answer.rc, body, errorLine(answer));
}

export type Arguments =
  | { readonly kind: "given"; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "malformed"; readonly refusal: Answer };

/** Arrays and objects within one another that the arguments of a command may have. */
export const argumentsDepthMax = 512;

/** The arguments of a command, from its body. */
export function argumentsOf(body: string): Arguments {
  if (body === "") return { kind: "given", args: {} };
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    return { kind: "malformed", refusal: refused("ARGUMENT", "the body is not JSON") };
  }
  if (!isRecord(value)) {
    return { kind: "malformed", refusal: refused("ARGUMENT", "the body is not a JSON object") };
  }
  if (isDeeperThan(value, argumentsDepthMax)) {
    const message = `the arguments have arrays and objects in more than ${argumentsDepthMax} levels`;
    return { kind: "malformed", refusal: refused("ARGUMENT", message) };
  }
  return { kind: "given", args: withDoubles(value) };
}
