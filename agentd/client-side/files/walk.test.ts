// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares reads and writes with a slow, plain walk of the path, on random trees with links.
import { lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTextFile } from "./read-text-file.ts";
import { makeGround, temporaryName, pinMethods } from "./testing/ground.ts";
import { writeTextFile } from "./write-text-file.ts";
import { nothingReserved } from "../../testing/nothing-reserved.ts";

type Found = { readonly at: string; readonly kind: "file" | "directory" | "nothing" } | "no way";

/** Resolves component by component, as the kernel does, below `base`. */
function walk(path: string, base: string, followLast: boolean): Found {
  let at = "";
  let links = 0;
  const names = path.split("/").slice(1);
  while (names.length > 0) {
    const name = names.shift() as string;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, at.lastIndexOf("/"));
      continue;
    }
    const next = `${at}/${name}`;
    const stat = lstatSync(next, { throwIfNoEntry: false });
    if (stat === undefined) return names.length === 0 ? { at: next, kind: "nothing" } : "no way";
    if (stat.isSymbolicLink() && (names.length > 0 || followLast)) {
      if (++links > 40) return "no way";
      const to = readlinkSync(next);
      if (to.startsWith("/")) at = "";
      names.unshift(...to.split("/"));
    } else if (stat.isDirectory()) {
      at = next;
    } else {
      return names.length > 0 || stat.isSymbolicLink() ? "no way" : { at: next, kind: "file" };
    }
  }
  expect(at === "" || base.startsWith(at) || at.startsWith(base)).toBe(true);
  return { at, kind: "directory" };
}

const directoriesOfTree = ["app", "app/a", "app/a/b", "app-evil", "out", "out/a"];
const place = fc.constantFrom(...directoriesOfTree);
const name = fc.constantFrom("a", "b", "c", "d");
const target = fc.oneof(
  place.map((path) => `BASE/${path}`),
  fc
    .array(fc.constantFrom("..", ".", "a", "b", "c", "d", "app", "out"), { minLength: 1, maxLength: 4 })
    .map((names) => names.join("/")),
);
const thing = fc.record({ where: place, name, target: fc.option(target) });
const step = fc.constantFrom("..", ".", "", "a", "b", "c", "d", "app", "out", "app-evil");
const asked = fc.tuple(place, fc.array(step, { maxLength: 5 }));

describe.each(pinMethods)("%s", (_, way) => {
  test("a random path on a random tree is read, and written, exactly where a plain walk says that it is inside", () => {
    using ground = makeGround();
    const { base, app } = ground;
    const confined = { pin: way, directories: [app], reserved: nothingReserved, bytesMax: 1_000 };
    const isInside = (path: string) => path === app || path.startsWith(`${app}/`);
    fc.assert(
      fc.property(
        fc.array(thing, { maxLength: 10 }),
        fc.array(asked, { minLength: 1, maxLength: 8 }),
        (things, paths) => {
          plant(base, things);
          for (const [from, steps] of paths) {
            const path = [base, from, ...steps].join("/");
            const found = walk(path, base, true);
            const got = readTextFile(path, confined);
            const readable = found !== "no way" && found.kind === "file" && isInside(found.at) && !/\/\.?$/.test(path);
            expect([path, got.ok ? got.text : undefined]).toEqual([
              path,
              readable ? readFileSync(found.at, "utf8") : undefined,
            ]);

            // Only the file's own name is missing; other tests cover directories that a write creates.
            const parent = walk(path.slice(0, path.lastIndexOf("/")), base, true);
            if (parent === "no way" || parent.kind !== "directory") continue;
            const put = writeTextFile(path, `written to ${path}`, { ...confined, temporaryName });
            const last = path.slice(path.lastIndexOf("/") + 1);
            const itself = walk(`${parent.at}/${last}`, base, false);
            const writable =
              isInside(parent.at) &&
              !["", ".", ".."].includes(last) &&
              itself !== "no way" &&
              itself.kind !== "directory";
            expect([path, put.ok]).toEqual([path, writable]);
            if (writable) expect(readFileSync(`${parent.at}/${last}`, "utf8")).toBe(`written to ${path}`);
          }
          for (const outside of ["app-evil", "out", "out/a"]) {
            expect(readFileSync(`${base}/${outside}/file`, "utf8")).toBe(`BASE/${outside}`);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** Makes the tree anew: directories with a file in each, then files and links whose names are free. */
function plant(base: string, things: readonly { where: string; name: string; target: string | null }[]): void {
  for (const top of ["app", "app-evil", "out"]) rmSync(`${base}/${top}`, { recursive: true, force: true });
  for (const directory of directoriesOfTree) {
    mkdirSync(`${base}/${directory}`);
    writeFileSync(`${base}/${directory}/file`, `BASE/${directory}`);
  }
  for (const { where, name: own, target: to } of things) {
    const path = `${base}/${where}/${own}`;
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    if (to === null) writeFileSync(path, `BASE/${where}/${own}`);
    else symlinkSync(to.replace("BASE", base), path);
  }
}
