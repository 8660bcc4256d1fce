// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds agentd's state directory by the same rules as agentd itself.
import { join } from "node:path";
import { stateDirectoryOf } from "../../files/state-directory.ts";
import type { Context } from "../process/context.ts";
import { usageError } from "../process/mix-error.ts";

/** Throws a usage error for a relative AGENTD_STATE_DIR: the daemon changes its working directory to /. */
export function stateDirectory({ env, home }: Pick<Context, "env" | "home">): string {
  const directory = stateDirectoryOf("agentd", env, home);
  if (directory === undefined) throw usageError("AGENTD_STATE_DIR must be an absolute path");
  return directory;
}

export function processLogFile(context: Pick<Context, "env" | "home">): string {
  return join(stateDirectory(context), "agentd.log");
}
