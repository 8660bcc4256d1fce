// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a command, by default the tests, and looks at what it left behind:
//
//   node --import tsx test/leftovers.ts [command ...]
//
// The command gets a temporary directory of its own as TMPDIR. Whatever it makes lies there or names it: a file, a
// process (in its environment, its command line or the directory it is in, so that one which shed the first is found
// by the others), a Unix socket. Ports have no such name: those are compared with the ones that were open before, as far as
// a process of the command has them. The exit code is the command's own, or 1 where something was left. Linux only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** What is on its way out when the command ends may still be so for a moment. */
const settleMs = 5_000;
const lookAgainMs = 100;

/** Caches that node and tsx keep in any temporary directory. */
const tools = /^(tsx-\d+|node-compile-cache|node-jiti|v8-compile-cache-\d+)$/;

async function main(command: readonly string[]): Promise<number> {
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), "left-")));
  const before = new Set(listeningPorts().map(({ inode }) => inode));
  const [program = "npm", ...args] = command.length > 0 ? command : ["npm", "test"];
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, TMPDIR: temporary } });
  const [code] = (await once(child, "exit")) as [number | null];
  const left = await untilNothing(() => leftovers(temporary, before));
  for (const line of left) console.error(`left behind: ${line}`);
  if (left.length === 0) rmSync(temporary, { recursive: true, force: true });
  else console.error(`${left.length} left behind; look into ${temporary}`);
  if (code !== 0) return code ?? 1;
  return left.length === 0 ? 0 : 1;
}

async function untilNothing(look: () => string[]): Promise<string[]> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const left = look();
    if (left.length === 0 || performance.now() >= deadline) return left;
    await delay(lookAgainMs);
  }
}

function leftovers(temporary: string, before: ReadonlySet<string>): string[] {
  const processes = processesNaming(temporary);
  const sockets = new Set(processes.flatMap(({ pid }) => socketsOf(pid)));
  const ports = listeningPorts().filter(({ inode }) => !before.has(inode) && sockets.has(inode));
  return [
    ...processes.map(({ pid, command }) => `process ${pid}: ${command}`),
    ...ports.map(({ port }) => `TCP port ${port}`),
    ...unixSocketsUnder(temporary).map((path) => `Unix socket ${path}`),
    ...readdirSync(temporary)
      .filter((name) => !tools.test(name))
      .map((name) => `file ${join(temporary, name)}`),
  ];
}

function processesNaming(temporary: string): { readonly pid: number; readonly command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const command = contents(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    const traces = [command, contents(`/proc/${pid}/environ`), target(`/proc/${pid}/cwd`)];
    // One that has ended and was not yet asked for has none of the three.
    if (traces.some((trace) => trace.includes(temporary))) found.push({ pid, command });
  }
  return found;
}

function socketsOf(pid: number): string[] {
  let descriptors: string[];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
  return descriptors.flatMap((descriptor) => {
    const inode = /^socket:\[(\d+)\]$/.exec(target(`/proc/${pid}/fd/${descriptor}`))?.[1];
    return inode === undefined ? [] : [inode];
  });
}

function listeningPorts(): { readonly port: number; readonly inode: string }[] {
  const listening = "0A";
  return ["tcp", "tcp6"].flatMap((table) =>
    linesOf(`/proc/net/${table}`).flatMap((line) => {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      return state === listening ? [{ port: Number.parseInt(local.split(":")[1] ?? "", 16), inode }] : [];
    }),
  );
}

function unixSocketsUnder(directory: string): string[] {
  const paths = linesOf("/proc/net/unix").map((line) => line.trim().split(/\s+/)[7] ?? "");
  return [...new Set(paths.filter((path) => path.startsWith(directory)))];
}

function linesOf(file: string): string[] {
  return contents(file).split("\n").slice(1);
}

function contents(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // gone meanwhile, or somebody else's
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

process.exitCode = await main(process.argv.slice(2));
