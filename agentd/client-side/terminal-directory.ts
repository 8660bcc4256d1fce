// SPDX-License-Identifier: MIT OR Apache-2.0
// The directory that a terminal starts in: held, so that it is the one that was judged, whatever its name means by then.
import type { Boundary } from "./files/boundary.ts";
import { hold } from "./files/hold.ts";
import { holdInside, requirePath } from "./files/hold-inside.ts";
import { answered, Refused, type RefusedAnswer, shown } from "./files/refusal.ts";

export type HeldDirectory = Disposable &
  (
    | {
        readonly ok: true;
        /** Leads to it as long as it is held. */
        readonly path: string;
      }
    | RefusedAnswer
  );

export function holdDirectory(path: string, boundary: Boundary): HeldDirectory {
  const answer = answered(path, () => {
    requirePath(path);
    const held = holdInside(path, { hold, ...boundary });
    const letGo = (): void => held[Symbol.dispose]();
    if (held.stat.isDirectory()) return { ok: true, path: held.at("."), [Symbol.dispose]: letGo } as const;
    letGo();
    throw new Refused("not-a-file", `${shown(path)} is not a directory; a terminal starts in one.`);
  });
  return answer.ok ? answer : { ...answer, [Symbol.dispose]: () => {} };
}
