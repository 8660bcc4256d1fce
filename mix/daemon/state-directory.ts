// SPDX-License-Identifier: MIT OR Apache-2.0
// Where the daemon keeps its things, as its own program looks for it.
import { join } from "node:path";
import { stateDirectoryOf } from "../../files/state-directory.ts";
import type { Context } from "../process/context.ts";
import { usageError } from "../process/mix-error.ts";

/** Throws a usage error for a relative AGENTD_STATE_DIR: the daemon does not stay where it was started. */
export function stateDirectory({ env, home }: Pick<Context, "env" | "home">): string {
  const directory = stateDirectoryOf("agentd", env, home);
  if (directory === undefined) throw usageError("AGENTD_STATE_DIR must be an absolute path");
  return directory;
}

export function processLogFile(context: Pick<Context, "env" | "home">): string {
  return join(stateDirectory(context), "agentd.log");
}
