// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a text file in the session's directories for the session's agent.
import { closeSync, readSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import type { Boundary } from "./boundary.ts";
import type { Held } from "./held.ts";
import { hold } from "./hold.ts";
import { type Confinement, holdInside, requirePath } from "./hold-inside.ts";
import { type Window, lineWindow } from "./line-window.ts";
import { answered, Refused, type RefusedAnswer, shown } from "./refusal.ts";

export interface ReadOptions extends Window, Boundary {
  /** The longest file, whatever part of it is asked for. */
  readonly bytesMax: number;
}

export type ReadAnswer =
  | {
      readonly ok: true;
      readonly text: string;
      /** UTF-8 bytes of `text`. */
      readonly bytes: number;
    }
  | RefusedAnswer;

/**
 * The file's text, byte for byte: a byte order mark, "\r\n" and a missing last newline stay. A link is followed, in any
 * part of the path: what counts is where the file that the kernel opened really is. What is not UTF-8 is refused, since
 * an agent that writes it back would destroy it. Throws nothing that the file system could be the cause of; waits for
 * the disk alone.
 */
export function readTextFile(path: string, options: ReadOptions): ReadAnswer {
  return readTextFileWith(hold, path, options);
}

export function readTextFileWith(
  way: Confinement["hold"],
  path: string,
  { directories, reserved, bytesMax, ...window }: ReadOptions,
): ReadAnswer {
  return answered(path, () => {
    requirePath(path);
    using held = holdInside(path, { hold: way, directories, reserved });
    const bytes = bytesOf(held, path, bytesMax);
    if (!isUtf8(bytes)) {
      throw new Refused(
        "not-text",
        `${shown(path)} is not UTF-8 text; read it with a command that knows its encoding.`,
      );
    }
    const part = lineWindow(bytes, window);
    return { ok: true, text: part.toString("utf8"), bytes: part.length };
  });
}

function bytesOf(held: Held, path: string, bytesMax: number): Buffer {
  if (held.stat.isDirectory()) throw new Refused("directory", `${shown(path)} is a directory.`);
  if (!held.stat.isFile() || held.isKernels())
    throw new Refused("not-a-file", `${shown(path)} is not an ordinary file.`);
  if (held.stat.size > bytesMax) throw tooBig(path, bytesMax);
  const descriptor = held.openToRead();
  try {
    const bytes = readWhole(descriptor, Number(held.stat.size), bytesMax);
    if (bytes.length > bytesMax) throw tooBig(path, bytesMax);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Of a file that grows meanwhile at most one byte more than the bound. */
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

export function tooBig(path: string, bytesMax: number): Refused {
  return new Refused(
    "too-big",
    `${shown(path)}: more than ${bytesMax} bytes are neither read nor written at once; use a command.`,
  );
}
