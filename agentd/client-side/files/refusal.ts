// SPDX-License-Identifier: MIT OR Apache-2.0
// Why a file is not to be had: a word for the log, a sentence for the agent, a code for the wire.

/** One word of a fixed table. */
export type RefusalReason = keyof typeof codes;

export interface Refusal {
  readonly reason: RefusalReason;
  /** A sentence that an agent can act on. It says nothing of what lies outside the session's directories. */
  readonly message: string;
  /** -32002 for what is not there, -32602 for what may not be had, -32603 for a disk that fails or a file in use. */
  readonly code: -32002 | -32602 | -32603;
}

const codes = {
  /** Not an absolute path. */
  relative: -32602,
  /** No path that a file could have: empty, too long, a NUL, half a character. */
  name: -32602,
  /** It really is somewhere else. */
  outside: -32602,
  /** In the session's directories, but agentd's own. */
  reserved: -32602,
  /** The session's directory itself was removed, or is another one now. */
  gone: -32002,
  missing: -32002,
  /** A link where a file is to be written, one that leads nowhere, a circle of them. */
  link: -32602,
  directory: -32602,
  /** A FIFO, a socket, a device, a file of the kernel. */
  "not-a-file": -32602,
  "too-big": -32602,
  /** Not UTF-8. */
  "not-text": -32602,
  /** No such line or limit. */
  range: -32602,
  "no-permission": -32602,
  /** It was replaced again and again, or another program holds it. */
  busy: -32603,
  disk: -32603,
} as const;

/** Within this folder alone: the public functions answer with the refusal. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.refusal = { reason, message, code: codes[reason] };
  }
}

/** The path as a message shows it: on one line, and not long. */
export function quotePath(path: string): string {
  return JSON.stringify(path.length > 256 ? `${path.slice(0, 256)}...` : path);
}

/** A refusal's message without what is secret. The path is one that it shows, and cuts: half a secret is not known again. */
export function redactedMessage(message: string, path: string, redact: (text: string) => string): string {
  return redact(message.replaceAll(quotePath(path), () => quotePath(redact(path))));
}

/** What the system's error means for who asked for `path`, which is inside. An error of our own making is thrown. */
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
  ELOOP: ["link", "the path is a circle of links"],
  ENAMETOOLONG: ["name", "the name is too long"],
  EINVAL: ["name", "the file system takes no such name"],
  EISDIR: ["directory", "this is a directory"],
  ENXIO: ["not-a-file", "this is not an ordinary file"],
  EACCES: ["no-permission", "the user that agentd runs as may not do that"],
  EPERM: ["no-permission", "the user that agentd runs as may not do that"],
  EROFS: ["no-permission", "the file system is read-only"],
  EEXIST: ["busy", "another write to it is under way, or has left its temporary file; try again"],
  EBUSY: ["busy", "another program holds it; try again"],
  EAGAIN: ["busy", "another program holds it; try again"],
  EMFILE: ["busy", "agentd has too many files open; try again"],
  ENFILE: ["busy", "the machine has too many files open; try again"],
  ENOSPC: ["disk", "the disk is full, and the file is as it was"],
  EDQUOT: ["disk", "the user's share of the disk is used up, and the file is as it was"],
  EIO: ["disk", "the disk failed"],
};

export interface RefusedResult {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** The door: what is refused is answered, what is a fault of ours is thrown. */
export function catchRefusal<Answer>(path: string, act: () => Answer): Answer | RefusedResult {
  try {
    return act();
  } catch (error) {
    return { ok: false, refusal: toRefused(error, path).refusal };
  }
}
