// SPDX-License-Identifier: MIT OR Apache-2.0
// Where the daemon keeps its things, as its own program looks for it.
import { isAbsolute, join } from "node:path";
import type { Context } from "../process/context.ts";
import { usageError } from "../process/mix-error.ts";

/** Throws a usage error for a relative AGENTD_STATE_DIR: the daemon does not stay where it was started. */
export function stateDirectory({ env, home }: Pick<Context, "env" | "home">): string {
  const given = env["AGENTD_STATE_DIR"];
  if (given !== undefined && given !== "") {
    if (!isAbsolute(given)) throw usageError("AGENTD_STATE_DIR must be an absolute path");
    return given;
  }
  const state = env["XDG_STATE_HOME"];
  const base = state !== undefined && isAbsolute(state) ? state : join(home, ".local", "state");
  return join(base, "agentd");
}

export function processLogFile(context: Pick<Context, "env" | "home">): string {
  return join(stateDirectory(context), "agentd.log");
}
