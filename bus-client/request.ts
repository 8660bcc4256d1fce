// SPDX-License-Identifier: MIT OR Apache-2.0

import { isDeeperThan } from "../json/depth.ts";
import { parseJson, withDoubles } from "../json/raw-json.ts";
import { isRecord } from "../json/record.ts";
import { errorLine, refused, type Answer } from "./answer.ts";
import type { IncomingCommand } from "./command.ts";
import { exceedsBytes, frameBytesMax, type FrameHeaders } from "./wire.ts";

/** A command with parsed arguments, as passed to a verb's handler. */
export interface Request {
  readonly verb: string;
  /**
   * The JSON object of the body, or `{}` for an empty body. A number inside an argument that JavaScript would not write
   * back the same is a RawJson.
   */
  readonly args: Readonly<Record<string, unknown>>;
  /** The caller's name as stamped by the broker. Null for anonymous callers and for all callers from other nodes. */
  readonly from: string | null;
  /** `local` only if the broker stamped it so. */
  readonly origin: "local" | "mesh";
  readonly headers: FrameHeaders;
  /** False if the caller sent no `id`, so an answer would be dropped. */
  readonly expectsReply: boolean;
  /** The generation of the connection that delivered it. */
  readonly generation: number;
  /** Sends the answer once. Returns false if it was answered before or the answer was dropped. */
  reply(answer: Answer): boolean;
}

/** Leaves 64 KiB of a frame for the headers. */
const answerBytesMax = frameBytesMax - 64 * 1024;

/** Calls `onSettled` once, when the command is answered. */
export function requestOf(
  command: IncomingCommand,
  args: Readonly<Record<string, unknown>>,
  onSettled: () => void,
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
      onSettled();
      return sendAnswer(command, answer);
    },
  };
}

/** Replaces an answer too large for a frame with REPLY_TOO_LARGE, so that the caller does not wait for its timeout. */
export function sendAnswer(command: IncomingCommand, answer: Answer): boolean {
  const { body } = answer;
  if (exceedsBytes(body, answerBytesMax)) {
    return sendAnswer(command, refused("REPLY_TOO_LARGE", `the answer has more than ${answerBytesMax} bytes`, {}, 20));
  }
  return command.reply(answer.rc, body, errorLine(answer));
}

export type Arguments =
  | { readonly kind: "given"; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "malformed"; readonly refusal: Answer };

export const argumentsDepthMax = 512;

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
    const message = `the arguments are nested more than ${argumentsDepthMax} levels deep`;
    return { kind: "malformed", refusal: refused("ARGUMENT", message) };
  }
  return { kind: "given", args: withDoubles(value) };
}
