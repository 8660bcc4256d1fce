// SPDX-License-Identifier: MIT OR Apache-2.0
// Loads the configuration file: valid as a whole, or refused as a whole.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { TomlError, parse } from "smol-toml";
import { isMarkedUtf16 } from "../../files/byte-order-mark.ts";
import { readUpTo } from "../../files/read-up-to.ts";
import { findReplacementRisk } from "../../files/replaceable.ts";
import { type SettingsFault, parseSettings } from "./schema.ts";
import { type Settings, defaultSettings } from "./settings.ts";

export interface ConfigProblem {
  readonly file: string;
  /** Line of a TOML syntax error, from 1. Null for other problems, whose reason begins with the key if there is one. */
  readonly line: number | null;
  /** For people. Never holds a value of an agent's environment. */
  readonly reason: string;
}

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Values that have no effect. */
      readonly warnings: readonly ConfigProblem[];
      /** The file's text; undefined if there is no file and the defaults apply. */
      readonly text: string | undefined;
    }
  | {
      readonly ok: false;
      readonly problems: readonly [ConfigProblem, ...ConfigProblem[]];
      /** The file's text, if it could be read. */
      readonly text: string | undefined;
    };

export interface ConfigSource {
  /** Absolute. */
  readonly file: string;
  /** Replaces `~` in the file. */
  readonly home: string;
  /** The user who runs agentd; the file must belong to that user or root. */
  readonly uid: number;
  readonly bytesMax: number;
}

/**
 * Reads the file, which may be missing. Refuses a file that group or others can write, that belongs to another user, or
 * that others can replace (or create, if it is missing), since its writer decides which programs agentd runs.
 */
export function loadConfig(source: ConfigSource): LoadedConfig {
  const read = readTrustedFile(source);
  if (read.status === "none") return { ok: true, settings: defaultSettings, warnings: [], text: undefined };
  if (read.status === "refused") return refused(source, [{ path: [], reason: read.reason }], undefined);
  return parseConfig(source, read.text);
}

/** Formats it as compilers do: `file:line: reason`. */
export function describeProblem({ file, line, reason }: ConfigProblem): string {
  return line === null ? `${file}: ${reason}` : `${file}:${line}: ${reason}`;
}

function parseConfig(source: ConfigSource, text: string): LoadedConfig {
  let document: unknown;
  try {
    document = parse(text);
  } catch (cause) {
    return { ok: false, problems: [syntaxProblem(source.file, cause)], text };
  }
  const parsed = parseSettings(document, source.home);
  if (!parsed.ok) return refused(source, parsed.faults, text);
  return {
    ok: true,
    settings: parsed.settings,
    warnings: parsed.warnings.map((fault) => problemOf(source.file, fault)),
    text,
  };
}

/** Keeps only the first line of the parser's message: the rest quotes lines of the file, which may contain secrets. */
function syntaxProblem(file: string, cause: unknown): ConfigProblem {
  if (!(cause instanceof TomlError)) throw cause;
  const [first = ""] = cause.message.split("\n");
  return { file, line: cause.line, reason: `is not TOML: ${first.replace(/^Invalid TOML document: /u, "")}` };
}

function refused(
  source: ConfigSource,
  faults: readonly [SettingsFault, ...SettingsFault[]],
  text: string | undefined,
): LoadedConfig {
  const [first, ...rest] = faults.slice(0, problemsMax).map((fault) => problemOf(source.file, fault));
  return { ok: false, problems: [first as ConfigProblem, ...rest], text };
}

/** Problems reported at a time. */
const problemsMax = 20;

function problemOf(file: string, { path, reason }: SettingsFault): ConfigProblem {
  return { file, line: null, reason: path.length === 0 ? reason : `${dotted(path)} ${reason}` };
}

/** Formats a key as TOML does: `agents.mine.command[0]`. */
function dotted(path: readonly (string | number)[]): string {
  let written = "";
  for (const step of path) {
    if (typeof step === "number") written += `[${step}]`;
    else written += `${written === "" ? "" : "."}${/^[\w-]+$/u.test(step) ? step : JSON.stringify(step)}`;
  }
  return written;
}

type ReadFile =
  | { readonly status: "none" }
  | { readonly status: "refused"; readonly reason: string }
  | { readonly status: "read"; readonly text: string };

/** Checks and reads through one descriptor. O_NONBLOCK, so that a FIFO cannot block. */
function readTrustedFile({ file, uid, bytesMax }: ConfigSource): ReadFile {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      const reason = findReplaceProblem(file, uid);
      return reason === undefined ? { status: "none" } : { status: "refused", reason };
    }
    return { status: "refused", reason: `cannot be read (${code ?? String(cause)})` };
  }
  try {
    const reason = findTrustProblem(descriptor, file, uid);
    if (reason !== undefined) return { status: "refused", reason };
    const bytes = readUpTo(descriptor, bytesMax + 1);
    if (bytes.length > bytesMax) return { status: "refused", reason: `is larger than ${bytesMax} bytes` };
    if (isMarkedUtf16(bytes)) return { status: "refused", reason: "is UTF-16: save it as UTF-8" };
    // The decoder drops a byte order mark.
    return { status: "read", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (cause) {
    if (cause instanceof TypeError) return { status: "refused", reason: "is not UTF-8 text" };
    return { status: "refused", reason: `cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)})` };
  } finally {
    closeSync(descriptor);
  }
}

function findTrustProblem(descriptor: number, file: string, uid: number): string | undefined {
  const found = fstatSync(descriptor);
  if (!found.isFile()) return "is not a regular file";
  if (found.uid !== uid && found.uid !== 0) return `belongs to user ${found.uid}, not to user ${uid} who runs agentd`;
  if ((found.mode & 0o022) !== 0) return "can be written by others; run: chmod go-w";
  return findReplaceProblem(file, uid);
}

function findReplaceProblem(file: string, uid: number): string | undefined {
  const reason = findReplacementRisk(file, { uid });
  return reason && `is in an unsafe place: ${reason}`;
}
