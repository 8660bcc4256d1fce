// SPDX-License-Identifier: MIT OR Apache-2.0
// Swaps a file or directory inside for a link to the outside and back, as fast as it can, until it is killed:
// node swapper.mjs file|directory|link <session's directory> <directory outside>. Prints "swapping" after one round.
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

const [kind, inside, outside] = process.argv.slice(2);

/** Renames a hard link to one and then to the other over the name, which therefore always exists. */
function turns(name, one, other) {
  return () => {
    for (const source of [one, other]) {
      linkSync(`${inside}/${source}`, `${inside}/next`);
      renameSync(`${inside}/next`, `${inside}/${name}`);
    }
  };
}

const swaps = {
  file() {
    writeFileSync(`${inside}/file`, "inside");
    symlinkSync(`${outside}/f`, `${inside}/link`);
    return turns("f", "link", "file");
  },
  /** The file's directory alternates between a link to the inside and a link to the outside. */
  link() {
    mkdirSync(`${inside}/real`);
    writeFileSync(`${inside}/real/f`, "inside");
    symlinkSync("real", `${inside}/in`);
    symlinkSync(outside, `${inside}/link`);
    return turns("d", "link", "in");
  },
  /** The file's directory is itself, missing, a link to the outside, missing, and so on. */
  directory() {
    mkdirSync(`${inside}/d`);
    writeFileSync(`${inside}/d/f`, "inside");
    symlinkSync(outside, `${inside}/link`);
    return () => {
      renameSync(`${inside}/d`, `${inside}/away`);
      renameSync(`${inside}/link`, `${inside}/d`);
      renameSync(`${inside}/d`, `${inside}/link`);
      renameSync(`${inside}/away`, `${inside}/d`);
    };
  },
};

/** Removes the directory that a write created while it was missing, which blocks the swap. */
function tidy() {
  rmSync(`${inside}/next`, { force: true });
  if (kind !== "directory" || !existsSync(`${inside}/away`)) return;
  rmSync(`${inside}/d`, { recursive: true, force: true });
  if (!existsSync(`${inside}/link`)) symlinkSync(outside, `${inside}/link`);
  renameSync(`${inside}/away`, `${inside}/d`);
}

const swap = swaps[kind]();
swap();
process.stdout.write("swapping\n");
for (;;) {
  try {
    swap();
  } catch {
    try {
      tidy();
    } catch {
      // A write created it again meanwhile: the next round fails and tidies.
    }
  }
}
