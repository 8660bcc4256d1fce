// SPDX-License-Identifier: MIT OR Apache-2.0

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isIP } from "node:net";
import { withoutByteOrderMark } from "../files/byte-order-mark.ts";
import { asBusError, type BusError } from "./bus-error.ts";
import { systemClock } from "./clock.ts";
import { Connection } from "./connection.ts";
import { dial, dialTimeoutMs, parseAddress } from "./dial.ts";
import {
  embeddedSocketPath,
  probeSocket,
  socketStateOf,
  trustedSocketDirectory,
  type SocketState,
} from "./embedded-socket.ts";
import { unixUrl } from "./socket-path.ts";
import { listenerUids } from "./tcp-listeners.ts";
import type { Transport } from "./transport.ts";
import { dialWebSocket } from "./websocket-transport.ts";
import { isRecord } from "../json/record.ts";

/** Where the Bus is and how that was found; `warnings` are for people. */
export type BusLocation = { readonly warnings: readonly string[] } & (
  | { readonly found: "environment"; readonly url: string }
  | { readonly found: "config"; readonly url: string; readonly file: string }
  | { readonly found: "embedded"; readonly url: string; readonly path: string }
  | { readonly found: "tcp"; readonly url: string }
  | { readonly found: "none" }
);

/** All that the search looks at, handed in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly home: string;
  /** Default `/etc`. */
  readonly etc?: string;
  /** Default `/proc`. */
  readonly proc?: string;
  /** Where a directory of the user's own is made when there is no runtime directory. Default `/tmp`. */
  readonly temporaryDirectory?: string;
  /** Default 4200. */
  readonly tcpPort?: number;
}

/** How long a port of TCP may take to show that a broker is behind it. */
const pingTimeoutMs = 1_000;

/**
 * Finds the Bus, in this order: `MIXOS_NODED_URL`; the file that `MIXOS_NODE_CONFIG` names; `$MIXOS_ETC/node.conf.mix`,
 * which if set is the last file; the user's and then the machine's `node.conf.mix`; the socket of an embedded broker;
 * TCP 4200, but only if a broker answers there and the port belongs to root or this user, since any account could
 * otherwise sit on it and say who is who. A bad file is passed over with a warning. Throws BusError URL_INVALID or
 * PATH_TOO_LONG where the environment names an address that is none: it was meant, so nothing else is tried.
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

/** The location, and the connection that showed it to be the Bus, where it was the embedded broker's socket. */
export interface DialledBus {
  readonly location: BusLocation;
  /** To be used or destroyed; or why it could not be had, though somebody listens. */
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

function findConfig(surroundings: Surroundings, warnings: string[]): { url: string; file: string } | undefined {
  for (const { file, isNamed } of configFiles(surroundings)) {
    let text: string;
    try {
      text = withoutByteOrderMark(readFileSync(file)).toString("utf8");
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

/** The files that may say where the Bus is; whoever writes one of them can be the broker. */
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

/** The socket counts only where its directory is the user's own and closed to others, and something listens on it. */
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
    warnings.push(`port ${tcpPort} belongs to uid ${stranger}, neither root nor uid ${uid}: not taken for the Bus`);
    return undefined;
  }
  if (await answersPing(url)) return url;
  warnings.push(`port ${tcpPort} is open, but no broker answers there`);
  return undefined;
}

async function answersPing(url: string): Promise<boolean> {
  try {
    const transport = await dial(url, { timeoutMs: pingTimeoutMs });
    const connection = new Connection(transport, systemClock, { command() {}, delivery() {}, closed() {} });
    try {
      const reply = await connection.request({ command: "noded.ping", to: "noded" }, "", pingTimeoutMs);
      return reply.rc === 0 && (JSON.parse(reply.body) as { pong?: unknown } | null)?.pong === true;
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}

/**
 * Reads the broker's address from the text of a `node.conf.mix`: `ws://{wg_ip or 127.0.0.1}:{noded.port or 4200}/ws`.
 * Such a file is one object in the manner of JSON, in which keys may stand without quotes, a comma may follow the last
 * member, and `#` or `//` begins a comment.
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

/** Strings are passed over whole; outside of them comments go, bare keys get quotes, and last commas go. */
const token = /"(?:[^"\\]|\\.)*"|#[^\n]*|\/\/[^\n]*|[A-Za-z_][\w-]*(?=\s*:)/g;

function asJson(text: string): string {
  const quoted = text.replace(token, (found) => {
    if (found.startsWith('"')) return found;
    return found.startsWith("#") || found.startsWith("/") ? "" : `"${found}"`;
  });
  return quoted.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (found) => (found === "," ? "" : found));
}
