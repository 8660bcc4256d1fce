// SPDX-License-Identifier: MIT OR Apache-2.0
// How processes of this machine are read, as far as we may see them. On Linux from /proc; elsewhere from `ps`, which knows
// parents and groups but neither environments nor pipes: there a tree is found by parent and group alone.
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
  /** Dead already, and waits for its parent to ask for the exit code. */
  readonly zombie: boolean;
  /** Opaque; together with the pid it names one process of one boot. */
  readonly startTime: string;
  /**
   * Opaque: where the environment lies in its memory. Each exec gives it a new one at another address, so what was read
   * there stays true as long as this is the same. Empty where there is none, or none that we may read.
   */
  readonly environment: string;
}

export interface ProcessStdio {
  readonly stdin: string;
  readonly stdout: string;
}

export interface ProcessSource {
  readonly bootId: string;
  /** Read one at a time as the iteration goes on; which there are is decided when it begins. */
  list(): Iterable<ProcessRow>;
  read(pid: number): ProcessRow | undefined;
  /** The values that NAME has in its environment, as a rule none or one. */
  environmentValues(pid: number, name: string): readonly string[];
  /** What its descriptors 0 and 1 are, as opaque names that compare equal for the same pipe. */
  stdio(pid: number): ProcessStdio | undefined;
  /** Whether `stdio` can tell at all here. */
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
    environment: environmentOf(fields[47], fields[48]),
  };
}

/** Fields 50 and 51, `env_start` and `env_end`. The kernel shows 0 to whoever may not read the environment. */
function environmentOf(start = "0", end = "0"): string {
  return start === "0" || end === "0" ? "" : `${start}-${end}`;
}

/**
 * The line is a few hundred bytes. Read with three calls into one buffer, it costs a fifth of what `readFileSync` takes,
 * which asks for the size first, and always gets 0.
 */
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
 * A descriptor that is kept for when this process has no other left: processes that cannot be looked at would be taken for
 * gone, and agents that are to be ended would live on.
 */
class DescriptorReserve {
  #reserve = openReserve();

  /** `read` takes one descriptor at a time, and gives it back. */
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

/** Undefined where there is none to be had. */
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
  // ps has no portable column for the session; our agents lead their group, which is all that is asked of it.
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

/** Processes end, and those of others may not be read, while we look: both simply are not there for us. */
function readOr<T>(absent: T, read: () => T): T {
  try {
    return read();
  } catch {
    return absent;
  }
}
