// SPDX-License-Identifier: MIT OR Apache-2.0

import { stringifyJson } from "../json/raw-json.ts";
import { asBusError } from "./bus-error.ts";
import { systemClock } from "./clock.ts";
import { Connection, callTimeoutMs } from "./connection.ts";
import type { Reply } from "./reply.ts";
import type { Transport } from "./transport.ts";
import type { FrameHeaders } from "./wire.ts";

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly headers?: FrameHeaders;
  /** Sent as it is, in the place of the arguments. */
  readonly body?: string;
}

/**
 * For a program that asks a few questions and ends: calls over one connection, without a name, and without another
 * connection when it drops.
 */
export class Caller {
  readonly #connection: Connection;

  constructor(transport: Transport) {
    this.#connection = new Connection(transport, systemClock, { command() {}, delivery() {}, closed() {} });
  }

  /** As `BusClient.call`. */
  async call(to: string, command: string, args?: object, options: CallOptions = {}): Promise<Reply> {
    return requestOver(this.#connection, { command, to }, args, { timeoutMs: callTimeoutMs, ...options });
  }

  /** As `BusClient.leave`. */
  async leave(): Promise<void> {
    this.#connection.close();
    await endOfTick();
  }
}

/** `args` becomes the JSON body; `headers` are added to those of the options. */
export function requestOver(
  connection: Connection,
  headers: FrameHeaders,
  args: object | undefined,
  options: CallOptions & { readonly timeoutMs: number },
): Promise<Reply> {
  const body = options.body ?? (args === undefined ? "" : jsonOf(args));
  return connection.request({ ...options.headers, ...headers }, body, options.timeoutMs);
}

/** What is nested too deep, or too long, no text can hold. */
function jsonOf(args: object): string {
  try {
    return stringifyJson(args);
  } catch (error) {
    throw asBusError(error, "UNSERIALISABLE");
  }
}

/** When what was written has left. */
export function endOfTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
