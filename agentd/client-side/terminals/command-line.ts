// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent means by `command`: by the protocol a program, but many agents put a whole shell line there.
import { isProgramFile } from "../../../acp-client/process/spawn-failure.ts";

export interface RequestedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Of the command: its PATH is looked through. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Program and arguments. With `args`, or where `command` names a file (as a path, or in PATH), exactly these. Else, if
 * it could be a shell line, `/bin/sh` runs it. What is none of these is left as it is, and fails by its own name.
 */
export function commandLine({ command, args, cwd, env }: RequestedCommand): readonly [string, ...string[]] {
  const asAsked = [command, ...args] as const;
  if (args.length > 0 || !isShellLine(command)) return asAsked;
  return isProgramFile({ command: asAsked, cwd, env }) ? asAsked : ["/bin/sh", "-c", command];
}

/** White space, or a character that a shell takes for more than itself. */
function isShellLine(command: string): boolean {
  return /[\s|&;<>()$`\\"'*?[\]#~=%{}!]/.test(command);
}
