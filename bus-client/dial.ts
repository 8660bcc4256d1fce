// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import { checkUnixPath } from "./socket-path.ts";
import type { Transport } from "./transport.ts";
import { dialWebSocket, type BusAddress } from "./websocket-transport.ts";

export interface DialOptions {
  /** Covers everything up to the end of the WebSocket handshake. Default 5 s. */
  readonly timeoutMs?: number;
}

export const dialTimeoutMs = 5_000;

/**
 * Opens a WebSocket to a broker. `ws://host:port/ws` goes over TCP, `ws+unix:///path/bus.sock:/ws` over a Unix socket.
 * Rejects with BusError URL_INVALID, PATH_TOO_LONG or DIAL_FAILED.
 */
export async function dial(url: string, options: DialOptions = {}): Promise<Transport> {
  return dialWebSocket(parseAddress(url), options.timeoutMs ?? dialTimeoutMs);
}

/** Throws BusError URL_INVALID or PATH_TOO_LONG. */
export function parseAddress(url: string): BusAddress {
  if (url.startsWith("ws+unix:")) return parseUnixAddress(url);
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new BusError("URL_INVALID", `not a Bus address: ${url}`, { cause });
  }
  if (parsed.protocol !== "ws:" || parsed.hostname === "") {
    throw new BusError("URL_INVALID", `a Bus address must start with ws:// or ws+unix://: ${url}`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new BusError("URL_INVALID", "a Bus address may not contain a user name or password");
  }
  parsed.hash = "";
  if (parsed.pathname === "/") parsed.pathname = "/ws";
  return { kind: "tcp", url: parsed.href };
}

/** Takes the path literally, without percent decoding. `:/ws` at the end is optional. */
function parseUnixAddress(url: string): BusAddress {
  const match = /^ws\+unix:\/\/(\/.+?)(?::(\/[^\s:]*))?$/u.exec(url);
  if (match === null) throw new BusError("URL_INVALID", `not of the form ws+unix:///path/bus.sock:/ws: ${url}`);
  const socketPath = match[1]!;
  checkUnixPath(socketPath);
  return { kind: "unix", socketPath, requestPath: match[2] ?? "/ws" };
}
