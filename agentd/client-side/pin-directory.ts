// SPDX-License-Identifier: MIT OR Apache-2.0
// Pins the directory that a terminal starts in, so that the checked directory is used even if its name is swapped.
import type { Boundary } from "./files/boundary.ts";
import { pinInside, requirePath } from "./files/pin-inside.ts";
import { catchRefusal, Refused, type RefusedResult, quotePath } from "./files/refusal.ts";

/** The path is valid until disposed. */
export function pinDirectory(
  path: string,
  boundary: Boundary,
): Disposable & ({ readonly ok: true; readonly path: string } | RefusedResult) {
  const answer = catchRefusal(path, () => {
    requirePath(path);
    const pinned = pinInside(path, boundary);
    const unpin = (): void => pinned[Symbol.dispose]();
    if (pinned.stat.isDirectory()) return { ok: true, path: pinned.pathTo("."), [Symbol.dispose]: unpin } as const;
    unpin();
    throw new Refused("not-a-file", `${quotePath(path)} is not a directory; a terminal needs one to start in.`);
  });
  return answer.ok ? answer : { ...answer, [Symbol.dispose]: () => {} };
}
