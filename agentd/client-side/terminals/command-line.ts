// SPDX-License-Identifier: MIT OR Apache-2.0
// Interprets the `command` of terminal/create: a program by ACP, but many agents put a whole shell line there.
import { isProgramFile } from "../../../acp-client/process/spawn-failure.ts";

export interface RequestedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The environment of the command, whose PATH is searched. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns program and arguments: exactly as requested if there are `args` or `command` names a file (as a path, or in
 * PATH); through `/bin/sh` if it could be a shell line; else as requested, so that the failure names it.
 */
export function commandLine({ command, args, cwd, env }: RequestedCommand): readonly [string, ...string[]] {
  const asAsked = [command, ...args] as const;
  if (args.length > 0 || !isShellLine(command)) return asAsked;
  return isProgramFile({ command: asAsked, cwd, env }) ? asAsked : ["/bin/sh", "-c", command];
}

/** Whether it contains white space or a character that is special to a shell. */
function isShellLine(command: string): boolean {
  return /[\s|&;<>()$`\\"'*?[\]#~=%{}!]/.test(command);
}
