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
  /** Sent unchanged instead of the arguments. */
  readonly body?: string;
}

/**
 * For a program that makes a few requests and exits: one anonymous connection, without subscriptions and without
 * reconnecting.
 */
export class Caller {
  readonly #connection: Connection;

  constructor(transport: Transport) {
    this.#connection = new Connection(transport, systemClock, { command() {}, delivery() {}, closed() {} });
  }

  /** Sends a request like `BusClient.call`. */
  async call(to: string, command: string, args?: object, options: CallOptions = {}): Promise<Reply> {
    return requestOver(this.#connection, { command, to }, args, { timeoutMs: callTimeoutMs, ...options });
  }

  /** Closes like `BusClient.leave`. */
  async leave(): Promise<void> {
    this.#connection.close();
    await endOfTick();
  }
}

/** Sends a request whose JSON body is `args`. `headers` override those of the options. */
export function requestOver(
  connection: Connection,
  headers: FrameHeaders,
  args: object | undefined,
  options: CallOptions & { readonly timeoutMs: number },
): Promise<Reply> {
  const body = options.body ?? (args === undefined ? "" : jsonOf(args));
  return connection.request({ ...options.headers, ...headers }, body, options.timeoutMs);
}

/** Throws BusError UNSERIALISABLE for a value that is nested too deeply or too large for a string. */
function jsonOf(args: object): string {
  try {
    return stringifyJson(args);
  } catch (error) {
    throw asBusError(error, "UNSERIALISABLE");
  }
}

/** Resolves when the writes of this tick have been handed to the socket. */
export function endOfTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
