// SPDX-License-Identifier: MIT OR Apache-2.0
// What a run of the tests leaves behind: processes, ports, Unix sockets, temporary files. In two ways:
//
//   node --import tsx test/leftovers.ts [command ...]      runs the command (npm test) and looks
//   node --import tsx test/leftovers.ts --note FILE        notes what there is
//   node --import tsx test/leftovers.ts --compare FILE     looks for what is there beyond the note
//
// A process is found by what it names in its environment, its command line or the directory it is in, so that one which
// shed the first is found by the others. A command that is run here gets a temporary directory of its own, and what
// names that directory is the command's, whoever else is at work on the machine. After a note it is whatever is new and
// names something in the temporary directory, as every place of a test does: that is for a machine of one's own.
// Exits with the command's own code, or with 1 where something was left. Linux only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** What is on its way out when the command ends may still be so for a moment. */
const settleMs = 5_000;
const lookAgainMs = 100;

/** Caches that node and tsx keep in any temporary directory, and the directory in which every X server has its socket. */
const tools = /^(tsx-\d+|node-compile-cache|node-jiti|v8-compile-cache-\d+|\.X11-unix)$/;

interface Note {
  /** Processes as pid and start time, listening ports by inode, names in the temporary directory. */
  readonly processes: readonly string[];
  readonly ports: readonly string[];
  readonly files: readonly string[];
}

interface Place {
  readonly temporary: string;
  /** A process that names this is looked at. */
  readonly name: string;
  readonly before: Note;
}

async function main(args: readonly string[]): Promise<number> {
  const [mode, file = ""] = args;
  if (mode === "--note") {
    writeFileSync(file, JSON.stringify(noteOf(tmpdir())));
    return 0;
  }
  if (mode === "--compare") {
    const before = JSON.parse(readFileSync(file, "utf8")) as Note;
    return report(await untilNothing({ temporary: tmpdir(), name: `${tmpdir()}/`, before }));
  }
  return await runAndLook(args.length > 0 ? args : ["npm", "test"]);
}

async function runAndLook([program = "", ...args]: readonly string[]): Promise<number> {
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), "left-")));
  const before = noteOf(temporary);
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, TMPDIR: temporary } });
  const [code] = (await once(child, "exit")) as [number | null];
  const left = await untilNothing({ temporary, name: temporary, before });
  if (left.length === 0) rmSync(temporary, { recursive: true, force: true });
  else console.error(`look into ${temporary}`);
  const found = report(left);
  return code === 0 ? found : (code ?? 1);
}

function report(left: readonly string[]): number {
  for (const line of left) console.error(`left behind: ${line}`);
  return left.length === 0 ? 0 : 1;
}

async function untilNothing(place: Place): Promise<string[]> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const left = leftovers(place);
    if (left.length === 0 || performance.now() >= deadline) return left;
    await delay(lookAgainMs);
  }
}

function noteOf(temporary: string): Note {
  return {
    processes: pids().map(identityOf),
    ports: listeningPorts().map(({ inode }) => inode),
    files: readdirSync(temporary),
  };
}

function leftovers({ temporary, name, before }: Place): string[] {
  const known = { processes: new Set(before.processes), ports: new Set(before.ports), files: new Set(before.files) };
  const files = readdirSync(temporary).filter((file) => !tools.test(file) && !known.files.has(file));
  const ours = new Set(ancestry());
  const processes = pids()
    .filter((pid) => !ours.has(pid) && !known.processes.has(identityOf(pid)))
    .filter((pid) => tracesOf(pid).some((trace) => trace.includes(name)));
  const sockets = new Set(processes.flatMap(socketsOf));
  const ports = listeningPorts().filter(({ inode }) => !known.ports.has(inode) && sockets.has(inode));
  const bound = unixSockets().filter((path) => files.some((file) => path.startsWith(`${join(temporary, file)}/`)));
  return [
    ...processes.map((pid) => `process ${pid}: ${commandOf(pid)}`),
    ...ports.map(({ port }) => `TCP port ${port}`),
    ...bound.map((path) => `Unix socket ${path}`),
    ...files.map((file) => `file ${join(temporary, file)}`),
  ];
}

function pids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** A pid is used again; its process's start time tells which it was. */
function identityOf(pid: number): string {
  return `${pid}/${statOf(pid)[19] ?? ""}`;
}

/** This process and those that wait for it. */
function ancestry(): number[] {
  const found: number[] = [];
  for (let pid = process.pid; pid > 0; pid = Number(statOf(pid)[1] ?? 0)) found.push(pid);
  return found;
}

/** The members of its stat after the name, which may hold anything: state, parent, ... */
function statOf(pid: number): string[] {
  const stat = contents(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** One that has ended and was not yet asked for has none of the three. */
function tracesOf(pid: number): string[] {
  return [commandOf(pid), contents(`/proc/${pid}/environ`), target(`/proc/${pid}/cwd`)];
}

function commandOf(pid: number): string {
  return contents(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
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

function unixSockets(): string[] {
  const paths = linesOf("/proc/net/unix").map((line) => line.trim().split(/\s+/)[7] ?? "");
  return [...new Set(paths)];
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
