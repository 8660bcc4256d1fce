// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd's own diagnostics, one JSON object per line: to a file of bounded size, or in the foreground to stderr, where a
// terminal gets them as text. Never to stdout, which belongs to the process that started agentd. Sessions have their own
// log (log.db).
import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { type Logger, pino, stdSerializers, stdTimeFunctions } from "pino";

export interface ProcessLog {
  readonly logger: Logger;
  close(): void;
}

export interface ProcessLogOptions {
  readonly destination:
    | { readonly file: string; readonly bytesMax: number }
    | { readonly stream: { write(text: string): unknown } };
  /** Replaces secrets; applied to every line. */
  readonly redact: (text: string) => string;
  /** A level of pino; "info" by default. */
  readonly level?: string;
}

/**
 * Writes synchronously, so that the last line before a crash is not lost. A full disk loses lines and has no other
 * effect. Throws if the file cannot be opened.
 */
export function openProcessLog({ destination, redact, level = "info" }: ProcessLogOptions): ProcessLog {
  const sink =
    "file" in destination ? openRotatingFile(destination.file, destination.bytesMax) : openStream(destination.stream);
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: stdSerializers.errWithCause },
  };
  const logger = pino(options, { write: (line: string) => sink.write(redact(line)) });
  return { logger, close: () => sink.close() };
}

interface Sink {
  write(line: string): void;
  close(): void;
}

function openStream(stream: { write(text: string): unknown }): Sink {
  return { write: (line) => void stream.write(line), close: () => {} };
}

/** Rotates the file when it is full: keeps one older file as `<file>.1`. */
function openRotatingFile(file: string, bytesMax: number): Sink {
  let state: OpenFile | "turning" | "closed" = openForAppending(file);

  /** Retries a rotation that failed half-way with the next line. */
  function withRoomFor(bytes: number): OpenFile | undefined {
    if (state === "closed") return undefined;
    if (state !== "turning" && state.bytes > 0 && state.bytes + bytes > bytesMax) {
      closeSync(state.descriptor);
      state = "turning";
      renameSync(file, `${file}.1`);
    }
    if (state === "turning") state = openForAppending(file);
    return state;
  }

  return {
    write(line) {
      try {
        const bytes = Buffer.from(line);
        const target = withRoomFor(bytes.length);
        if (target !== undefined) target.bytes += writeSync(target.descriptor, bytes);
      } catch {
        // There is nowhere else to report it, and agentd must survive a full disk.
      }
    },
    close() {
      if (typeof state === "object") closeSync(state.descriptor);
      state = "closed";
    },
  };
}

interface OpenFile {
  readonly descriptor: number;
  bytes: number;
}

function openForAppending(file: string): OpenFile {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const found = fstatSync(descriptor);
  if (!found.isFile()) {
    closeSync(descriptor);
    throw new Error(`${file} is not a regular file`);
  }
  fchmodSync(descriptor, 0o600);
  return { descriptor, bytes: found.size };
}
