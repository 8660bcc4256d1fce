// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd's own files are its user's alone (umask 077). What it makes in a person's workspace, and what agents make, is to
// have the rights that it would have without agentd.

/** Runs something at once; what it makes until it returns is made under the user's umask. */
export type WithUserUmask = <T>(run: () => T) => T;

/** `mask`: the one that agentd was started with; undefined where it was never changed. */
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
