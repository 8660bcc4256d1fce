// SPDX-License-Identifier: MIT OR Apache-2.0
// The error that a tool throws, with a code and a message that a model can act upon.
import { BusError, type BusErrorCode } from "../bus-client/index.ts";

export class ToolError extends Error {
  override readonly name = "ToolError";
  /** A code of this server, of the Bus client, or of the service that refused. */
  readonly code: string;
  /** The reply with which a service refused. */
  readonly reply: { readonly rc: number; readonly body: string } | undefined;

  constructor(code: string, message: string, reply?: { readonly rc: number; readonly body: string }) {
    super(message);
    this.code = code;
    this.reply = reply;
  }
}

/** Converts a BusError to a ToolError. Returns anything else unchanged. */
export function toToolError(thrown: unknown): unknown {
  if (!(thrown instanceof BusError)) return thrown;
  const { code, text } = busErrors[thrown.code] ?? { code: thrown.code, text: "" };
  return new ToolError(code, text === "" ? thrown.message : `${text} (${thrown.message})`);
}

const busErrors: { readonly [Code in BusErrorCode]?: { readonly code: string; readonly text: string } } = {
  NOT_CONNECTED: { code: "BUS_UNREACHABLE", text: "the Bus is not connected; nothing was sent" },
  CONNECTION_LOST: {
    code: "BUS_UNREACHABLE",
    text: "the Bus disconnected before the reply came; the call may have run",
  },
  STOPPED: { code: "BUS_UNREACHABLE", text: "this server is shutting down" },
  TIMEOUT: { code: "TIME_LIMIT", text: "the call may have run; check its effect before you try again" },
  UNSERIALISABLE: { code: "ARGUMENT", text: "" },
};
