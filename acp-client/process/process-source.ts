// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the processes of this machine, as far as permissions allow. On Linux from /proc; elsewhere from `ps`, which
// shows neither environments nor pipes, so that a tree is found only by parents and process groups.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";

export interface Marker {
  readonly name: string;
  readonly value: string;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Whether the process has exited but was not yet waited for by its parent. */
  readonly zombie: boolean;
  /** An opaque text that identifies the process together with its pid, within one boot. */
  readonly startTime: string;
  /**
   * An opaque text: the address of the environment in the process's memory. Each exec changes it, so an environment
   * that was read is valid as long as this stays the same. Empty if there is none or we may not read it.
   */
  readonly environment: string;
}

export interface ProcessStdio {
  readonly stdin: string;
  readonly stdout: string;
}

export interface ProcessSource {
  readonly bootId: string;
  /** Lists the pids when the iteration begins, and reads each process as the iteration reaches it. */
  list(): Iterable<ProcessRow>;
  read(pid: number): ProcessRow | undefined;
  /** Returns the values of a variable in the process's environment: usually none or one. */
  environmentValues(pid: number, name: string): readonly string[];
  /** Returns opaque names of descriptors 0 and 1, which are equal for the same pipe. */
  stdio(pid: number): ProcessStdio | undefined;
  readonly canReadStdio: boolean;
}

export function procSource(root = "/proc"): ProcessSource {
  const reserve = new DescriptorReserve();
  const readStat = statReader(root, reserve);
  return {
    bootId: readOr("", () => readFileSync(`${root}/sys/kernel/random/boot_id`, "latin1").trim()),
    *list() {
      for (const name of reserve.use(() => readdirSync(root))) {
        if (!/^\d+$/.test(name)) continue;
        const row = readStat(Number(name));
        if (row !== undefined) yield row;
      }
    },
    read: readStat,
    environmentValues: (pid, name) =>
      readOr([], () => {
        const environment = reserve.use(() => readFileSync(`${root}/${pid}/environ`));
        return valuesIn(environment, Buffer.from(`${name}=`));
      }),
    stdio: (pid) =>
      readOr(undefined, () => ({
        stdin: readlinkSync(`${root}/${pid}/fd/0`),
        stdout: readlinkSync(`${root}/${pid}/fd/1`),
      })),
    canReadStdio: true,
  };
}

export function psSource(run: (args: readonly string[]) => string = runPs): ProcessSource {
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
    environmentValues: () => [],
    stdio: () => undefined,
    canReadStdio: false,
  };
}

/** Parses /proc/<pid>/stat. The second field, the name, may contain spaces and `)`, so the last `)` ends it. */
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
    environment: environmentOf(fields[47], fields[48]),
  };
}

/** Combines fields 50 and 51, `env_start` and `env_end`. They are 0 if we may not read the environment. */
function environmentOf(start = "0", end = "0"): string {
  return start === "0" || end === "0" ? "" : `${start}-${end}`;
}

/** Reads with three system calls: five times faster than `readFileSync`, which asks for the size first. */
function statReader(root: string, reserve: DescriptorReserve): (pid: number) => ProcessRow | undefined {
  const buffer = Buffer.allocUnsafe(4096);
  return (pid) =>
    readOr(undefined, () => {
      const bytes = reserve.use(() => {
        const descriptor = openSync(`${root}/${pid}/stat`, "r");
        try {
          return readSync(descriptor, buffer);
        } finally {
          closeSync(descriptor);
        }
      });
      return parseStat(buffer.toString("latin1", 0, bytes));
    });
}

/**
 * Keeps one file descriptor in reserve for when this process has run out of them. Otherwise processes that cannot be
 * read would be taken for exited, and agents would not be stopped.
 */
class DescriptorReserve {
  #reserve = openReserve();

  /** `read` must use at most one descriptor at a time. */
  use<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== "EMFILE" && code !== "ENFILE") || this.#reserve === undefined) throw error;
      closeSync(this.#reserve);
      try {
        return read();
      } finally {
        this.#reserve = openReserve();
      }
    }
  }
}

/** Returns undefined if no descriptor is free. */
function openReserve(): number | undefined {
  return readOr(undefined, () => openSync("/dev/null", "r"));
}

function valuesIn(environment: Buffer, prefix: Buffer): string[] {
  const values: string[] = [];
  for (let at = environment.indexOf(prefix); at >= 0; at = environment.indexOf(prefix, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    values.push(environment.toString("utf8", at + prefix.length, end < 0 ? environment.length : end));
  }
  return values;
}

function parsePsLine(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (!match) return undefined;
  const [, pid, parent, group, state = "", startTime = ""] = match;
  // ps has no portable column for the session. The group stands in for it, since an agent leads both.
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(group),
    zombie: state.startsWith("Z"),
    startTime,
    environment: "",
  };
}

function runPs(args: readonly string[]): string {
  return execFileSync("ps", args, { encoding: "latin1", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } });
}

/** Treats a process that exits while it is read, or that we may not read, as absent. */
function readOr<T>(absent: T, read: () => T): T {
  try {
    return read();
  } catch {
    return absent;
  }
}
