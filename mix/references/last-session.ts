// SPDX-License-Identifier: MIT OR Apache-2.0
// Remembers the session that was used last, for the word `-`. It is kept in a file of agentd's state directory. An agent's
// own commands neither change nor use it: otherwise an agent could decide which session a person's `-` means.
import { dirname } from "node:path";
import { makeDirectories } from "../../files/make-directories.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { stateFile } from "../daemon/daemon-record.ts";
import type { Context } from "../process/context.ts";

type Surroundings = Pick<Context, "env" | "home">;

const fileName = "mix-last-session";

export function lastSession(context: Surroundings): string | undefined {
  if (isInSession(context)) return undefined;
  try {
    const text = readRegularFile(stateFile(context, fileName), bytesMax).toString("utf8").trim();
    return sessionId.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Ignores failures: a verb must not fail because its session cannot be remembered. */
export function rememberSession(context: Surroundings, session: string): void {
  if (isInSession(context) || !sessionId.test(session)) return;
  try {
    const file = stateFile(context, fileName);
    makeDirectories(dirname(file));
    replaceFile(file, `${session}\n`);
  } catch {
    // Without the file, `-` means nothing.
  }
}

/** An id, with room for a line end. */
const bytesMax = 64;
const sessionId = /^[a-z2-7]{12}$/;

function isInSession({ env }: Pick<Context, "env">): boolean {
  return (env["AGENTD_SESSION"] ?? "") !== "";
}
