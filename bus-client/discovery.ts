// SPDX-License-Identifier: MIT OR Apache-2.0

import { join } from "node:path";
import { isIP } from "node:net";
import { withoutByteOrderMark } from "../files/byte-order-mark.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { asBusError, type BusError } from "./bus-error.ts";
import { Caller } from "./caller.ts";
import { dial, dialTimeoutMs, parseAddress } from "./dial.ts";
import {
  embeddedSocketPath,
  probeSocket,
  socketStateOf,
  trustedSocketDirectory,
  type SocketState,
} from "./embedded-socket.ts";
import { jsonObjectIn } from "./json-object.ts";
import { unixUrl } from "./socket-path.ts";
import { listenerUids } from "./tcp-listeners.ts";
import type { Transport } from "./transport.ts";
import { dialWebSocket } from "./websocket-transport.ts";
import { isRecord } from "../json/record.ts";

/** The address of the Bus and how it was found. `warnings` are for people. */
export type BusLocation = { readonly warnings: readonly string[] } & (
  | { readonly found: "environment"; readonly url: string }
  | { readonly found: "config"; readonly url: string; readonly file: string }
  | { readonly found: "embedded"; readonly url: string; readonly path: string }
  | { readonly found: "tcp"; readonly url: string }
  | { readonly found: "none" }
);

/** The parts of the system that discovery reads, as parameters for tests. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly home: string;
  /** Default `/etc`. */
  readonly etc?: string;
  /** Default `/proc`. */
  readonly proc?: string;
  /** The parent of the socket's directory if there is no XDG_RUNTIME_DIR. Default `/tmp`. */
  readonly temporaryDirectory?: string;
  /** Default 4200. */
  readonly tcpPort?: number;
}

/** How long a broker on the TCP port may take to answer a ping. */
const pingTimeoutMs = 1_000;

/**
 * Finds the Bus, in this order: `MIXOS_NODED_URL`; the file named by `MIXOS_NODE_CONFIG`; `$MIXOS_ETC/node.conf.mix`,
 * after which no other file is read; the user's and then the machine's `node.conf.mix`; the socket of an embedded broker;
 * TCP 4200, but only if a broker answers there and the port belongs to root or this user, since any account could
 * otherwise listen on it and forge stamps. Skips an invalid file with a warning. Throws BusError URL_INVALID or
 * PATH_TOO_LONG if `MIXOS_NODED_URL` is invalid: it was set on purpose, so nothing else is tried.
 */
export async function discoverBus(
  surroundings: Surroundings,
  probe: (path: string) => Promise<SocketState> = probeSocket,
): Promise<BusLocation> {
  const warnings: string[] = [];
  const url = surroundings.env["MIXOS_NODED_URL"];
  if (url) {
    parseAddress(url);
    return { found: "environment", url, warnings };
  }
  const config = findConfig(surroundings, warnings);
  if (config !== undefined) return { found: "config", ...config, warnings };
  const path = await findEmbedded(surroundings, probe, warnings);
  if (path !== undefined) return { found: "embedded", url: unixUrl(path), path, warnings };
  const tcp = await findTcp(surroundings, warnings);
  return tcp === undefined ? { found: "none", warnings } : { found: "tcp", url: tcp, warnings };
}

/** The location, and for an embedded broker the connection that was opened to check it. */
export interface DialledBus {
  readonly location: BusLocation;
  /** The caller must use or destroy the transport. A BusError if the socket is live but dialling it failed. */
  readonly dialled: Transport | BusError | undefined;
}

/** As `discoverBus`, for those who connect anyway: the embedded broker is not knocked at first, but dialled at once. */
export async function discoverAndDial(surroundings: Surroundings): Promise<DialledBus> {
  let dialled: Transport | BusError | undefined;
  const location = await discoverBus(surroundings, async (socketPath) => {
    try {
      dialled = await dialWebSocket({ kind: "unix", socketPath, requestPath: "/ws" }, dialTimeoutMs);
      return "live";
    } catch (thrown) {
      const error = asBusError(thrown, "DIAL_FAILED");
      const state = socketStateOf(error.cause);
      if (state === "live") dialled = error;
      return state;
    }
  });
  return { location, dialled };
}

const configBytesMax = 1024 * 1024;

function findConfig(surroundings: Surroundings, warnings: string[]): { url: string; file: string } | undefined {
  for (const { file, isNamed } of configFiles(surroundings)) {
    let text: string;
    try {
      text = withoutByteOrderMark(readRegularFile(file, configBytesMax)).toString("utf8");
    } catch (error) {
      const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (isNamed || !isAbsent) warnings.push(`${file}: cannot be read: ${(error as Error).message}`);
      continue;
    }
    const config = readNodeConfig(text);
    if ("problem" in config) warnings.push(`${file}: ${config.problem}`);
    else return { url: config.url, file };
  }
  return undefined;
}

/** Lists the files that may set the address of the Bus. Whoever can write to one can impersonate the broker. */
export function nodeConfigFiles(surroundings: Surroundings): string[] {
  return configFiles(surroundings).map(({ file }) => file);
}

function configFiles({ env, home, etc = "/etc" }: Surroundings): { file: string; isNamed: boolean }[] {
  const files: { file: string; isNamed: boolean }[] = [];
  if (env["MIXOS_NODE_CONFIG"]) files.push({ file: env["MIXOS_NODE_CONFIG"], isNamed: true });
  if (env["MIXOS_ETC"]) {
    files.push({ file: join(env["MIXOS_ETC"], "node.conf.mix"), isNamed: false });
    return files;
  }
  const own = env["XDG_CONFIG_HOME"] || join(home, ".config");
  files.push({ file: join(own, "mixos", "node.conf.mix"), isNamed: false });
  files.push({ file: join(etc, "mixos", "node.conf.mix"), isNamed: false });
  return files;
}

/** Accepts the socket only if its directory belongs to the user, is closed to others, and something listens on it. */
async function findEmbedded(
  surroundings: Surroundings,
  probe: (path: string) => Promise<SocketState>,
  warnings: string[],
): Promise<string | undefined> {
  const path = embeddedSocketPath(surroundings);
  const directory = trustedSocketDirectory(path, surroundings.uid);
  if (directory.kind === "absent") return undefined;
  if (directory.kind === "refused") {
    warnings.push(directory.reason);
    return undefined;
  }
  return (await probe(path)) === "live" ? path : undefined;
}

async function findTcp(surroundings: Surroundings, warnings: string[]): Promise<string | undefined> {
  const { uid, proc = "/proc", tcpPort = 4200 } = surroundings;
  const url = `ws://127.0.0.1:${tcpPort}/ws`;
  const before = await listenerUids(proc, tcpPort);
  if (before.length === 0) return undefined;
  const stranger = before.find((owner) => owner !== 0 && owner !== uid);
  if (stranger !== undefined) {
    warnings.push(`port ${tcpPort} belongs to uid ${stranger}, neither root nor uid ${uid}: ignored`);
    return undefined;
  }
  if (await answersPing(url)) return url;
  warnings.push(`port ${tcpPort} is open, but no broker answers there`);
  return undefined;
}

async function answersPing(url: string): Promise<boolean> {
  try {
    const caller = new Caller(await dial(url, { timeoutMs: pingTimeoutMs }));
    try {
      const reply = await caller.call("noded", "noded.ping", undefined, { timeoutMs: pingTimeoutMs });
      return reply.rc === 0 && jsonObjectIn(reply.body)["pong"] === true;
    } finally {
      await caller.leave();
    }
  } catch {
    return false;
  }
}

/**
 * Reads the broker's address from the text of a `node.conf.mix`: `ws://{wg_ip or 127.0.0.1}:{noded.port or 4200}/ws`.
 * The file is one JSON object with three extensions: unquoted keys, a trailing comma, and comments from `#` or `//` on.
 */
export function readNodeConfig(text: string): { readonly url: string } | { readonly problem: string } {
  let config: unknown;
  try {
    config = JSON.parse(asJson(text));
  } catch (error) {
    return { problem: `is not strict data: ${(error as Error).message}` };
  }
  if (!isRecord(config)) return { problem: "is not an object" };
  const { wg_ip: host = "127.0.0.1", noded = {} } = config;
  if (typeof host !== "string" || isIP(host) === 0) return { problem: "wg_ip is not an address" };
  if (!isRecord(noded)) return { problem: "noded is not an object" };
  const { port = 4200 } = noded;
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return { problem: "noded.port is not a port" };
  }
  return { url: `ws://${isIP(host) === 6 ? `[${host}]` : host}:${port}/ws` };
}

/** Matches strings, comments and unquoted keys, so that `#`, `//` and keys inside strings are left alone. */
const token = /"(?:[^"\\]|\\.)*"|#[^\n]*|\/\/[^\n]*|[A-Za-z_][\w-]*(?=\s*:)/g;

function asJson(text: string): string {
  const quoted = text.replace(token, (found) => {
    if (found.startsWith('"')) return found;
    return found.startsWith("#") || found.startsWith("/") ? "" : `"${found}"`;
  });
  return quoted.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (found) => (found === "," ? "" : found));
}
