// SPDX-License-Identifier: MIT OR Apache-2.0
// A session's directory for tests, with neighbours that the session must not reach.
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pin } from "../pinned-path.ts";
import { pinByDescriptor } from "../pin-by-descriptor.ts";
import { pinByPath } from "../pin-by-path.ts";

export interface Ground extends Disposable {
  /** Contains app, app-evil and out, and nothing else. */
  readonly base: string;
  /** base/app, the session's directory. */
  readonly app: string;
  /** A path in app. */
  in(...names: readonly string[]): string;
  /** A path in out, which contains a file `secret`. */
  out(...names: readonly string[]): string;
  /** Throws if anything outside changed, or a temporary file is left in the session's directory itself. */
  requireAsItWas(): void;
}

export const temporaryName = ".temporary";
export const secret = "not for this session";

export function makeGround(): Ground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "agentd-files-")));
  const app = join(base, "app");
  for (const name of ["app", "app-evil", "out"]) mkdirSync(join(base, name));
  writeFileSync(join(base, "out", "secret"), secret);
  writeFileSync(join(base, "app-evil", "secret"), secret);
  const before = outsideOf(base);
  return {
    base,
    app,
    in: (...names) => join(app, ...names),
    out: (...names) => join(base, "out", ...names),
    requireAsItWas() {
      if (readdirSync(app).includes(temporaryName)) throw new Error(`${temporaryName} is left over`);
      const now = outsideOf(base);
      if (now !== before) throw new Error(`outside has changed from ${before} to ${now}`);
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Names, inodes and contents of everything outside. */
function outsideOf(base: string): string {
  return JSON.stringify(
    ["app-evil", "out"].map((directory) =>
      readdirSync(join(base, directory)).map((name) => {
        const path = join(base, directory, name);
        return [path, statSync(path).ino, statSync(path).isFile() ? readFileSync(path, "utf8") : ""];
      }),
    ),
  );
}

/** The ways to pin that this machine has. */
export const pinMethods: readonly (readonly [string, Pin])[] = [
  ...(process.platform === "linux" ? [["by descriptor", pinByDescriptor] as const] : []),
  ["by path", pinByPath],
];

/** Runs `act` as a user whom permissions bind and who owns the session's directory's entries: root becomes "nobody". */
export function asOrdinaryUser<Result>({ base, app }: Ground, act: () => Result): Result {
  if (process.geteuid?.() !== 0) return act();
  chmodSync(base, 0o755);
  for (const path of [app, ...readdirSync(app).map((name) => join(app, name))]) lchownSync(path, nobody, nobody);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

const nobody = 65_534;
