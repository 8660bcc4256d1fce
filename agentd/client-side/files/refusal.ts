// SPDX-License-Identifier: MIT OR Apache-2.0
// Why a file request is refused: a reason for the log, a message for the agent and a JSON-RPC code.

export type RefusalReason = keyof typeof codes;

export interface Refusal {
  readonly reason: RefusalReason;
  /** A sentence that an agent can act on. It reveals nothing about files outside the session's directories. */
  readonly message: string;
  /** -32002 for a missing file, -32602 for one that may not be used, -32603 for a failing disk or a file in use. */
  readonly code: -32002 | -32602 | -32603;
}

const codes = {
  /** Not an absolute path. */
  relative: -32602,
  /** Not a possible path: empty, too long, with a NUL or a lone surrogate. */
  name: -32602,
  /** Its real path is outside the session's directories. */
  outside: -32602,
  /** Inside the session's directories, but agentd's own. */
  reserved: -32602,
  /** The session's directory itself was removed or replaced. */
  gone: -32002,
  missing: -32002,
  /** A link as the target of a write, a broken link or a loop of links. */
  link: -32602,
  directory: -32602,
  /** A FIFO, socket, device or kernel file. */
  "not-a-file": -32602,
  "too-big": -32602,
  /** Not UTF-8. */
  "not-text": -32602,
  /** A `line` or `limit` that is not a whole number. */
  range: -32602,
  "no-permission": -32602,
  /** Replaced during every attempt, or in use by another program. */
  busy: -32603,
  disk: -32603,
} as const;

/** Thrown within this folder only; its public functions return the refusal. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.refusal = { reason, message, code: codes[reason] };
  }
}

/** Quotes the path for a message: on one line, at most 256 characters of it. */
export function quotePath(path: string): string {
  return JSON.stringify(path.length > 256 ? `${path.slice(0, 256)}...` : path);
}

/** Redacts the path before it is shortened: half a secret would not be recognised in the message. */
export function redactedMessage(message: string, path: string, redact: (text: string) => string): string {
  return redact(message.replaceAll(quotePath(path), () => quotePath(redact(path))));
}

/** Converts a system error about `path`, which is inside. Rethrows any other error: that is a bug of ours. */
export function toRefused(error: unknown, path: string): Refused {
  if (error instanceof Refused) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) throw error;
  const [reason, words] = systemErrors[code] ?? ["disk", "the file system refused it"];
  return new Refused(reason, `${quotePath(path)}: ${words} (${code}).`);
}

const systemErrors: Readonly<Record<string, readonly [RefusalReason, string]>> = {
  ENOENT: ["missing", "there is no such file"],
  ENOTDIR: ["missing", "there is no such file: the path leads through something that is not a directory"],
  ELOOP: ["link", "the path is a loop of links"],
  ENAMETOOLONG: ["name", "the name is too long"],
  EINVAL: ["name", "the file system does not allow this name"],
  EISDIR: ["directory", "it is a directory"],
  ENXIO: ["not-a-file", "it is not a regular file"],
  EACCES: ["no-permission", "the user that agentd runs as may not do that"],
  EPERM: ["no-permission", "the user that agentd runs as may not do that"],
  EROFS: ["no-permission", "the file system is read-only"],
  EEXIST: ["busy", "another write to it is under way, or has left its temporary file; try again"],
  EBUSY: ["busy", "another program is using it; try again"],
  EAGAIN: ["busy", "another program is using it; try again"],
  EMFILE: ["busy", "agentd has too many files open; try again"],
  ENFILE: ["busy", "the machine has too many files open; try again"],
  ENOSPC: ["disk", "the disk is full; the file is unchanged"],
  EDQUOT: ["disk", "the user's disk quota is used up; the file is unchanged"],
  EIO: ["disk", "the disk failed"],
};

export interface RefusedResult {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** Returns a refusal instead of throwing it. Errors that are bugs of ours are thrown. */
export function catchRefusal<Answer>(path: string, act: () => Answer): Answer | RefusedResult {
  try {
    return act();
  } catch (error) {
    return { ok: false, refusal: toRefused(error, path).refusal };
  }
}
