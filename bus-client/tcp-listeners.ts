// SPDX-License-Identifier: MIT OR Apache-2.0

import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The user ids of all who listen on a TCP port in a way that a connection to 127.0.0.1 could reach, from the kernel's
 * tables. Empty where nobody does, and where there are no such tables: on other systems than Linux nothing can be known.
 */
export async function listenerUids(proc: string, port: number): Promise<number[]> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readTable(join(proc, "net", name))));
  const uids = tables.flatMap((table) => table.split("\n").flatMap((line) => uidOf(line, port)));
  return [...new Set(uids)];
}

const listenState = "0A";
/** As the kernel prints them: 32-bit words in the machine's order. 127.0.0.1, any, and the IPv6 forms of both. */
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
    return await readFile(file, "latin1");
  } catch {
    return "";
  }
}
