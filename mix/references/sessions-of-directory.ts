// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { upwards } from "../../files/upwards.ts";

type Placed = Pick<SessionSummary, "session" | "cwd" | "parent">;

/** The directory and those above it, up to the root of its git repository; without a repository the directory alone. */
export function directoriesOf(cwd: string): string[] {
  const directory = realDirectory(cwd);
  const above: string[] = [];
  for (const one of upwards(directory)) {
    above.push(one);
    // In a linked work tree and in a submodule `.git` is a file.
    if (existsSync(join(one, ".git"))) return above;
  }
  return [directory];
}

/** agentd keeps directories without links. */
export function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/**
 * The sessions of the first directory that has any. One that was started by another of them is left out: people mean the
 * session whose agent started it.
 */
export function sessionsOfDirectory<S extends Placed>(sessions: readonly S[], directories: readonly string[]): S[] {
  for (const directory of directories) {
    const here = sessions.filter(({ cwd }) => cwd === directory);
    if (here.length > 0) return here.filter(({ parent }) => !here.some(({ session }) => session === parent));
  }
  return [];
}
