// SPDX-License-Identifier: MIT OR Apache-2.0
// The directory that a terminal starts in: held, so that it is the one that was judged, whatever its name means by then.
import { type Held, hold } from "./files/held.ts";
import { holdInside, requirePath } from "./files/hold-inside.ts";
import { answered, Refused, type RefusedAnswer, shown } from "./files/refusal.ts";

export type HeldDirectory =
  /** `path` leads to it as long as it is held. */
  | ({ readonly ok: true; readonly path: string } & Disposable)
  | RefusedAnswer;

/** `directories`: the session's, absolute and without links. */
export function holdDirectory(path: string, directories: readonly string[]): HeldDirectory {
  return answered(path, () => {
    requirePath(path);
    const held: Held = holdInside(path, { hold, directories });
    if (held.stat.isDirectory()) return { ok: true, path: held.at("."), [Symbol.dispose]: () => held[Symbol.dispose]() };
    held[Symbol.dispose]();
    throw new Refused("not-a-file", `${shown(path)} is not a directory; a terminal starts in one.`);
  });
}
