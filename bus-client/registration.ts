// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import { jsonObjectIn } from "./json-object.ts";
import { replyFailure, type Reply } from "./reply.ts";

/** The schema of a refusal whose body has a machine-readable reason. */
const rejectionSchema = "noded.registration-rejection.v1";

/** A refusal's body is read for the reason only up to this size in bytes. */
const rejectionBytesMax = 4_096;

/** A citizen's claims about itself, sent with its registration and shown to others by `noded.list`. */
export interface Provenance {
  readonly binary?: string;
  readonly version?: string;
  readonly git_sha?: string;
  readonly git_dirty?: boolean;
  readonly build_time?: string;
  readonly pid?: number;
  readonly started_at?: string;
  readonly meta?: Readonly<Record<string, string>>;
}

/** Returns the provenance of a program of this project. */
export function provenanceOf(
  binary: string,
  { version, build }: { readonly version: string; readonly build?: string | undefined },
  startedAt: string,
): Provenance {
  const meta = build === undefined ? {} : { meta: { build } };
  return { binary, version, pid: process.pid, started_at: startedAt, ...meta };
}

/** Resolves once the name is registered. Rejects with BusError NAME_TAKEN, REGISTRATION_REFUSED, or as `request`. */
export async function register(
  connection: Connection,
  name: string,
  provenance: Provenance | undefined,
  timeoutMs: number,
): Promise<void> {
  const body = provenance === undefined ? "" : JSON.stringify(provenance);
  const reply = await connection.request({ command: "noded.register", from: name, to: "noded" }, body, timeoutMs);
  if (reply.rc < 10) return;
  const message = replyFailure(reply)!.message;
  throw new BusError(reasonOf(reply) === "NAME_TAKEN" ? "NAME_TAKEN" : "REGISTRATION_REFUSED", message, {
    cause: reply,
  });
}

/** Reads the reason only from a small body that names the schema. Any other refusal has no known reason. */
function reasonOf(reply: Reply): unknown {
  if (Buffer.byteLength(reply.body) > rejectionBytesMax) return undefined;
  const body = jsonObjectIn(reply.body);
  return body["schema"] === rejectionSchema ? body["error_code"] : undefined;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns random letters that make a citizen's name unique. `random` returns numbers in [0, 1). */
export function randomLetters(count: number, random: () => number): string {
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
