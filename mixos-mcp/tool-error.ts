// SPDX-License-Identifier: MIT OR Apache-2.0
// The one error of this package: why a tool did not do what was asked, in a form that a model can act upon.
import { BusError, type BusErrorCode } from "../bus-client/index.ts";

export class ToolError extends Error {
  override readonly name = "ToolError";
  /** A code of ours, of the Bus client, or of the service that refused. */
  readonly code: string;
  /** The reply of a service that refused. */
  readonly reply: { readonly rc: number; readonly body: string } | undefined;

  constructor(code: string, message: string, reply?: { readonly rc: number; readonly body: string }) {
    super(message);
    this.code = code;
    this.reply = reply;
  }
}

/** Anything that a tool threw; what is none of the Bus's failures is passed on as it is. */
export function toToolError(thrown: unknown): unknown {
  if (!(thrown instanceof BusError)) return thrown;
  const { code, text } = busErrors[thrown.code] ?? { code: thrown.code, text: "" };
  return new ToolError(code, text === "" ? thrown.message : `${text} (${thrown.message})`);
}

const busErrors: { readonly [Code in BusErrorCode]?: { readonly code: string; readonly text: string } } = {
  NOT_CONNECTED: { code: "BUS_UNREACHABLE", text: "the Bus went away; nothing was sent" },
  CONNECTION_LOST: { code: "BUS_UNREACHABLE", text: "the Bus went away before the answer came: it may have run" },
  STOPPED: { code: "BUS_UNREACHABLE", text: "this server is ending" },
  TIMEOUT: { code: "TIME_LIMIT", text: "it may have run; ask for its state before you try again" },
  UNSERIALISABLE: { code: "ARGUMENT", text: "" },
};
