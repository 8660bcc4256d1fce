// SPDX-License-Identifier: MIT OR Apache-2.0
// The directory that a terminal starts in: pinned, so that it is the one that was judged, whatever its name means by then.
import type { Boundary } from "./files/boundary.ts";
import { pinPath } from "./files/pin-path.ts";
import { pinInside, requirePath } from "./files/pin-inside.ts";
import { catchRefusal, Refused, type RefusedResult, quotePath } from "./files/refusal.ts";

export type PinnedDirectory = Disposable &
  (
    | {
        readonly ok: true;
        /** Leads to it as long as it is pinned. */
        readonly path: string;
      }
    | RefusedResult
  );

export function pinDirectory(path: string, boundary: Boundary): PinnedDirectory {
  const answer = catchRefusal(path, () => {
    requirePath(path);
    const pinned = pinInside(path, { pin: pinPath, ...boundary });
    const unpin = (): void => pinned[Symbol.dispose]();
    if (pinned.stat.isDirectory()) return { ok: true, path: pinned.pathTo("."), [Symbol.dispose]: unpin } as const;
    unpin();
    throw new Refused("not-a-file", `${quotePath(path)} is not a directory; a terminal starts in one.`);
  });
  return answer.ok ? answer : { ...answer, [Symbol.dispose]: () => {} };
}
