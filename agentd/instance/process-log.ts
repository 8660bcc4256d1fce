// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd says about itself, one JSON object a line: to a file of bounded size, or to stderr in the foreground.
// Never to stdout, which belongs to whoever started it. What sessions do is in the log proper, not here.
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
  /** Applied to every line as it is written; takes out secrets. */
  readonly redact: (text: string) => string;
  /** pino's: "info" unless said otherwise. */
  readonly level?: string;
}

/**
 * Lines are written at once and in order, so that the last one before a crash is there. A disk that is full loses lines
 * and nothing else. Throws where the file cannot be opened.
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

/** Turned over when full: the file before is kept as `<file>.1`, the one before that goes. */
function openRotatingFile(file: string, bytesMax: number): Sink {
  let state: OpenFile | "turning" | "closed" = openForAppending(file);

  /** A turn that failed half-way is tried again with the next line. */
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
        // There is no other place to say it, and agentd must outlive a full disk.
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
    throw new Error(`${file} is not a file`);
  }
  fchmodSync(descriptor, 0o600);
  return { descriptor, bytes: found.size };
}
