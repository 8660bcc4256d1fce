// SPDX-License-Identifier: MIT OR Apache-2.0
import { closeSync, readSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import type { PinnedPath } from "./pinned-path.ts";
import { type Confinement, pinInside, requirePath } from "./pin-inside.ts";
import { catchRefusal, Refused, type RefusedResult, quotePath } from "./refusal.ts";

/** ACP sends null for an omitted member. */
export interface Window {
  /** The first line, from 1; ACP allows 0, which counts as 1. */
  readonly line?: number | null | undefined;
  readonly limit?: number | null | undefined;
}

export interface ReadOptions extends Window, Confinement {
  /** The size of the whole file, whatever part of it is requested. */
  readonly bytesMax: number;
}

export type ReadResult =
  | {
      readonly ok: true;
      readonly text: string;
      /** UTF-8 bytes of `text`. */
      readonly bytes: number;
    }
  | RefusedResult;

/**
 * Reads a text file inside the session's directories, unchanged: a byte order mark, "\r\n" and a missing last newline
 * stay. Follows links anywhere in the path, since the opened file's real path is what is checked. Refuses a file that is
 * not UTF-8, since an agent that writes it back would destroy it. Never throws for an error of the file system, and
 * blocks on nothing but the disk.
 */
export function readTextFile(path: string, { bytesMax, line, limit, ...confinement }: ReadOptions): ReadResult {
  return catchRefusal(path, () => {
    requirePath(path);
    using pinned = pinInside(path, confinement);
    const bytes = readPinned(pinned, path, bytesMax);
    if (!isUtf8(bytes)) {
      throw new Refused(
        "not-text",
        `${quotePath(path)} is not UTF-8 text; read it with a command that knows its encoding.`,
      );
    }
    return partOf(bytes, { line, limit });
  });
}

/**
 * Returns what the same request gets of a text that comes from elsewhere, an editor's buffer, in the place of the file's.
 */
export function readFromText(
  path: string,
  text: string,
  { bytesMax, line, limit }: Omit<ReadOptions, keyof Confinement>,
): ReadResult {
  return catchRefusal(path, () => {
    const bytes = Buffer.from(text);
    if (bytes.length > bytesMax) throw tooBigRefusal(path, bytesMax);
    return partOf(bytes, { line, limit });
  });
}

/**
 * Tells whether the session may read the file, by the same rules. A file that is missing, but would be inside, may exist
 * in an editor alone.
 */
export function checkReadable(
  path: string,
  { bytesMax, ...confinement }: Omit<ReadOptions, keyof Window>,
): "there" | "missing" | "refused" {
  const checked = catchRefusal(path, () => {
    requirePath(path);
    using pinned = pinInside(path, confinement);
    requireTextFile(pinned, path, bytesMax);
    return { ok: true } as const;
  });
  if (checked.ok) return "there";
  return checked.refusal.reason === "missing" ? "missing" : "refused";
}

function partOf(bytes: Buffer, window: Window): ReadResult {
  const part = lineWindow(bytes, window);
  return { ok: true, text: part.toString("utf8"), bytes: part.length };
}

function requireTextFile(pinned: PinnedPath, path: string, bytesMax: number): void {
  if (pinned.stat.isDirectory()) throw new Refused("directory", `${quotePath(path)} is a directory.`);
  if (!pinned.stat.isFile() || pinned.isKernelFile())
    throw new Refused("not-a-file", `${quotePath(path)} is not a regular file.`);
  if (pinned.stat.size > bytesMax) throw tooBigRefusal(path, bytesMax);
}

function readPinned(pinned: PinnedPath, path: string, bytesMax: number): Buffer {
  requireTextFile(pinned, path, bytesMax);
  const descriptor = pinned.openForReading();
  try {
    const bytes = readWhole(descriptor, Number(pinned.stat.size), bytesMax);
    if (bytes.length > bytesMax) throw tooBigRefusal(path, bytesMax);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Reads at most `bytesMax` + 1 bytes of a file that grows meanwhile. */
function readWhole(descriptor: number, size: number, bytesMax: number): Buffer {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length < bytes.length) continue;
    if (length > bytesMax) return bytes;
    bytes = Buffer.concat([bytes], Math.min(2 * length, bytesMax + 1));
  }
}

export function tooBigRefusal(path: string, bytesMax: number): Refused {
  return new Refused(
    "too-big",
    `${quotePath(path)} is larger than ${bytesMax} bytes, the most that can be read or written; use a command.`,
  );
}

/**
 * Finds what `line` and `limit` select in a text's UTF-8 bytes, so that only that is decoded. Keeps line ends. A line ends
 * with "\n" (and so with "\r\n"), not with "\r" alone. Empty past the end of the text. Throws `Refused` for a negative or
 * fractional number.
 */
export function lineWindow(utf8: Buffer, { line, limit }: Window): Buffer {
  const first = checkCount("line", line) ?? 1;
  const count = checkCount("limit", limit);
  const start = skipLines(utf8, 0, Math.max(first, 1) - 1);
  return utf8.subarray(start, count === undefined ? undefined : skipLines(utf8, start, count));
}

/** A byte loop: `indexOf` for each line end is many times slower on a text of empty lines. */
function skipLines(utf8: Buffer, start: number, lines: number): number {
  let at = start;
  for (let left = lines; left > 0 && at < utf8.length; at++) {
    if (utf8[at] === newline) left--;
  }
  return at;
}

const newline = 0x0a;

function checkCount(name: string, value: number | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Refused("range", `${name} is ${value}; it must be a whole number, not negative.`);
}
