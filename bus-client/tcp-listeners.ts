// SPDX-License-Identifier: MIT OR Apache-2.0

import { promises } from "node:fs";
import { join } from "node:path";

/**
 * Reads from Linux's `/proc/net/tcp` and `tcp6` the user ids of all sockets that listen on a port and accept connections
 * to 127.0.0.1. Empty if there are none, and on other systems.
 */
export async function listenerUids(proc: string, port: number): Promise<number[]> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readTable(join(proc, "net", name))));
  const uids = tables.flatMap((table) => table.split("\n").flatMap((line) => uidOf(line, port)));
  return [...new Set(uids)];
}

const listenState = "0A";
/** 127.0.0.1, any address, and the IPv6 forms of both, as the kernel prints them: 32-bit words in host byte order. */
const reachable = new Set([
  "0100007F",
  "00000000",
  "00000000000000000000000000000000",
  "0000000000000000FFFF00000100007F",
  "0000000000000000FFFF000000000000",
]);

function uidOf(line: string, port: number): number[] {
  const [, local = "", , state, , , , uid = ""] = line.trim().split(/\s+/);
  const [address = "", portHex = ""] = local.split(":");
  if (state !== listenState || Number.parseInt(portHex, 16) !== port || !reachable.has(address)) return [];
  return /^\d+$/.test(uid) ? [Number(uid)] : [];
}

async function readTable(file: string): Promise<string> {
  try {
    return await promises.readFile(file, "latin1");
  } catch {
    return "";
  }
}
