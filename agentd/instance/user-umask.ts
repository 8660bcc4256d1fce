// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd's own files are private (umask 077). Files that it creates in a workspace, and those of agents, get the
// permissions of the user's umask, as they would without agentd.

/** Runs the function synchronously under the user's umask. */
export type WithUserUmask = <T>(run: () => T) => T;

/** `mask`: the umask that agentd was started with; undefined if it was never changed. */
export function makeWithUserUmask(
  mask: number | undefined,
  own: Pick<NodeJS.Process, "umask"> = process,
): WithUserUmask {
  if (mask === undefined) return (run) => run();
  return (run) => {
    const ours = own.umask(mask);
    try {
      return run();
    } finally {
      own.umask(ours);
    }
  };
}
