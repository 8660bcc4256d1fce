// SPDX-License-Identifier: MIT OR Apache-2.0
// The processes of this machine, as far as we may see them. On Linux from /proc; elsewhere from `ps`, which knows
// parents and groups but neither environments nor pipes: there a tree is found by parent and group alone.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Marker {
  readonly name: string;
  readonly value: string;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Dead already, and waits for its parent to ask for the exit code. */
  readonly zombie: boolean;
  /** Opaque; together with the pid it names one process of one boot. */
  readonly startTime: string;
}

export interface ProcessStdio {
  readonly stdin: string;
  readonly stdout: string;
}

export interface ProcessTable {
  readonly bootId: string;
  list(): ProcessRow[];
  read(pid: number): ProcessRow | undefined;
  /** Whether NAME=value is in its environment; false for processes of others. */
  bears(pid: number, marker: Marker): boolean;
  /** What its descriptors 0 and 1 are, as opaque names that compare equal for the same pipe. */
  stdio(pid: number): ProcessStdio | undefined;
  /** Whether `stdio` can tell at all here. */
  readonly seesStdio: boolean;
}

export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return platform === "linux" ? procTable() : psTable();
}

export function procTable(root = "/proc"): ProcessTable {
  return {
    bootId: readOr("", () => readFileSync(`${root}/sys/kernel/random/boot_id`, "latin1").trim()),
    list: () =>
      readdirSync(root)
        .filter((name) => /^\d+$/.test(name))
        .map((name) => readStat(root, Number(name)))
        .filter((row) => row !== undefined),
    read: (pid) => readStat(root, pid),
    bears: (pid, marker) =>
      readOr(false, () => environmentHas(readFileSync(`${root}/${pid}/environ`), `${marker.name}=${marker.value}`)),
    stdio: (pid) =>
      readOr(undefined, () => ({
        stdin: readlinkSync(`${root}/${pid}/fd/0`),
        stdout: readlinkSync(`${root}/${pid}/fd/1`),
      })),
    seesStdio: true,
  };
}

export function psTable(run: (args: readonly string[]) => string = runPs): ProcessTable {
  const columns = "pid=,ppid=,pgid=,stat=,lstart=";
  const rows = (args: readonly string[]): ProcessRow[] =>
    readOr("", () => run([...args, "-o", columns]))
      .split("\n")
      .map(parsePsLine)
      .filter((row) => row !== undefined);
  return {
    bootId: "",
    list: () => rows(["-ax"]),
    read: (pid) => rows(["-p", String(pid)])[0],
    bears: () => false,
    stdio: () => undefined,
    seesStdio: false,
  };
}

/** One line of /proc/<pid>/stat. The name in the second field may hold spaces and `)`, so cut at the last `)`. */
export function parseStat(stat: string): ProcessRow | undefined {
  const open = stat.indexOf(" (");
  const close = stat.lastIndexOf(") ");
  if (open < 0 || close < open) return undefined;
  const fields = stat.slice(close + 2).split(" ");
  const startTime = fields[19];
  if (startTime === undefined) return undefined;
  return {
    pid: Number(stat.slice(0, open)),
    zombie: fields[0] === "Z" || fields[0] === "X",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime,
  };
}

function readStat(root: string, pid: number): ProcessRow | undefined {
  return readOr(undefined, () => parseStat(readFileSync(`${root}/${pid}/stat`, "latin1")));
}

function environmentHas(environment: Buffer, entry: string): boolean {
  const wanted = Buffer.from(entry);
  for (let at = environment.indexOf(wanted); at >= 0; at = environment.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if ((at === 0 || environment[at - 1] === 0) && (end === environment.length || environment[end] === 0)) return true;
  }
  return false;
}

function parsePsLine(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (!match) return undefined;
  const [, pid, parent, group, state = "", startTime = ""] = match;
  // ps has no portable column for the session; our agents lead their group, which is all that is asked of it.
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(group),
    zombie: state.startsWith("Z"),
    startTime,
  };
}

function runPs(args: readonly string[]): string {
  return execFileSync("ps", args, { encoding: "latin1", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } });
}

/** Processes end, and those of others may not be read, while we look: both simply are not there for us. */
function readOr<T>(absent: T, read: () => T): T {
  try {
    return read();
  } catch {
    return absent;
  }
}
