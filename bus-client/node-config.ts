// SPDX-License-Identifier: MIT OR Apache-2.0

import { isIP } from "node:net";
import { isRecord } from "../json/record.ts";

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
