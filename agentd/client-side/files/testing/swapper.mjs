// SPDX-License-Identifier: MIT OR Apache-2.0
// Another process that swaps what is inside for a link out and back, as fast as it can, until it is killed:
// node swapper.mjs file|directory|link <session's directory> <directory outside>. Says "swapping" after the first round.
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

const [kind, inside, outside] = process.argv.slice(2);

/** Puts a hard link to the one and to the other over the name, which always is something. */
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
  /** The directory of the file: a link to one inside, and a link out. */
  link() {
    mkdirSync(`${inside}/real`);
    writeFileSync(`${inside}/real/f`, "inside");
    symlinkSync("real", `${inside}/in`);
    symlinkSync(outside, `${inside}/link`);
    return turns("d", "link", "in");
  },
  /** The directory of the file: itself, nothing, a link out, nothing, and so on. */
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

/** A write makes the directory that is missing, and is then in the way. */
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
      // Made again meanwhile: the next round fails, and tidies.
    }
  }
}
