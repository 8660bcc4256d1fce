// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pin } from "./pinned-path.ts";
import { pinPath } from "./pin-inside.ts";
import { readTextFile } from "./read-text-file.ts";
import { asOrdinaryUser, type Ground, makeGround, temporaryName } from "./testing/ground.ts";
import { sweepTemporary, type WriteResult, writeTextFile } from "./write-text-file.ts";
import { nothingReserved } from "../../testing/nothing-reserved.ts";

const uid = process.getuid?.() ?? 0;
let ground: Ground;

beforeEach(() => {
  ground = makeGround();
});

afterEach(() => {
  ground.requireAsItWas();
  ground[Symbol.dispose]();
});

const write = (path: string, content: string, way: Pin = pinPath): WriteResult =>
  writeTextFile(path, content, {
    pin: way,
    directories: [ground.app],
    reserved: nothingReserved,
    temporaryName,
    bytesMax: 100,
  });

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

test("a new file is written with the missing directories, by the process's umask", () => {
  const before = process.umask();
  const path = ground.in("a", "b", "c.txt");
  expect(write(path, "é\r\n")).toEqual({ ok: true, bytes: 4 });
  expect(readFileSync(path, "utf8")).toBe("é\r\n");
  expect(modeOf(path)).toBe((0o666 & ~before).toString(8));
  expect(modeOf(ground.in("a"))).toBe((0o777 & ~before).toString(8));
  expect(readdirSync(ground.in("a", "b"))).toEqual(["c.txt"]);
});

test.each([
  [0o600, "600"],
  [0o755, "755"],
  [0o666, "666"],
  [0o4755, "755"],
  [0o2755, "755"],
  [0o1644, "644"],
])("a file of mode %o that is written over has mode %s", (mode, after) => {
  writeFileSync(ground.in("f"), "old");
  chmodSync(ground.in("f"), mode);
  expect(write(ground.in("f"), "new")).toEqual({ ok: true, bytes: 3 });
  expect(modeOf(ground.in("f"))).toBe(after);
});

// Only root may give files away.
test.runIf(uid === 0)("a file of another user stays that user's when agentd may see to it", () => {
  writeFileSync(ground.in("f"), "old");
  chownSync(ground.in("f"), 65_534, 65_534);
  expect(write(ground.in("f"), "new")).toMatchObject({ ok: true });
  expect(statSync(ground.in("f"))).toMatchObject({ uid: 65_534, gid: 65_534 });
});

test.runIf(uid === 0)("a file of another user is not taken from them by a user who may only write to it", () => {
  // The directory becomes the ordinary user's; the file in it stays root's.
  mkdirSync(ground.in("d"));
  writeFileSync(ground.in("d", "f"), "old");
  chmodSync(ground.in("d", "f"), 0o666);
  const put = asOrdinaryUser(ground, () => write(ground.in("d", "f"), "new"));
  expect(put).toMatchObject({ refusal: { reason: "no-permission", message: expect.stringContaining("another user") } });
  expect(readFileSync(ground.in("d", "f"), "utf8")).toBe("old");
  expect(readdirSync(ground.in("d"))).toEqual(["f"]);
});

test("a link, a directory and a read-only file are refused and stay as they are", () => {
  writeFileSync(ground.in("real"), "old", { mode: 0o444 });
  symlinkSync("real", ground.in("link"));
  mkdirSync(ground.in("d"));
  for (const [name, reason] of [
    ["link", "link"],
    ["d", "directory"],
    ["real", "no-permission"],
  ] as const) {
    expect(write(ground.in(name), "new")).toMatchObject({ ok: false, refusal: { reason, code: -32602 } });
  }
  expect(lstatSync(ground.in("link")).isSymbolicLink()).toBe(true);
  expect(readFileSync(ground.in("real"), "utf8")).toBe("old");
  expect(readdirSync(ground.app).toSorted()).toEqual(["d", "link", "real"]);
});

test("another hard link to a replaced file keeps the old text", () => {
  writeFileSync(ground.in("f"), "old");
  linkSync(ground.in("f"), ground.in("other"));
  expect(write(ground.in("f"), "new")).toMatchObject({ ok: true });
  expect([readFileSync(ground.in("f"), "utf8"), readFileSync(ground.in("other"), "utf8")]).toEqual(["new", "old"]);
});

test("a text above the limit or with a lone surrogate is refused, and no U+FFFD is written for it", () => {
  expect(write(ground.in("f"), "é".repeat(50))).toEqual({ ok: true, bytes: 100 });
  expect(write(ground.in("f"), "é".repeat(51))).toMatchObject({ refusal: { reason: "too-big", code: -32602 } });
  expect(write(ground.in("f"), "a\ud83d")).toMatchObject({ refusal: { reason: "not-text", code: -32602 } });
  expect(readFileSync(ground.in("f"), "utf8")).toBe("é".repeat(50));
  expect(write(ground.in("f"), "😀\uFFFD")).toEqual({ ok: true, bytes: 7 });
  expect(write(ground.in("f"), "")).toEqual({ ok: true, bytes: 0 });
});

test("a left-over temporary file blocks writes until it is swept, and nothing else is swept", () => {
  writeFileSync(ground.in("f"), "old");
  writeFileSync(ground.in(temporaryName), "half");
  expect(write(ground.in("f"), "new")).toMatchObject({ refusal: { reason: "busy", code: -32603 } });
  expect(readFileSync(ground.in("f"), "utf8")).toBe("old");
  const options = { directories: [ground.app], reserved: nothingReserved, temporaryName };
  expect(sweepTemporary(ground.in("f"), options)).toBe(true);
  expect(sweepTemporary(ground.in("f"), options)).toBe(false);
  expect(write(ground.in("f"), "new")).toMatchObject({ ok: true });
  // Outside, through a link, relative, missing, of another kind.
  symlinkSync(ground.out(), ground.in("way"));
  mkdirSync(ground.in(temporaryName));
  for (const path of [
    ground.out("f"),
    ground.in("way", "f"),
    "f",
    ground.in("none", "f"),
    ground.in("f"),
    `${ground.app}/`,
  ]) {
    expect(
      sweepTemporary(path, {
        directories: [ground.app],
        reserved: nothingReserved,
        temporaryName: path === ground.in("f") ? temporaryName : "secret",
      }),
    ).toBe(false);
  }
  rmdirSync(ground.in(temporaryName));
});

test("a session's directory that was removed or replaced by a link is named in the refusal and not created again", () => {
  rmSync(ground.app, { recursive: true });
  const options = { directories: [ground.app], reserved: nothingReserved, bytesMax: 100 };
  const expected = {
    ok: false,
    refusal: { reason: "gone", code: -32002, message: expect.stringContaining(JSON.stringify(ground.app)) },
  };
  expect(readTextFile(ground.in("f"), options)).toEqual(expected);
  expect(write(ground.in("d", "f"), "new")).toEqual(expected);
  symlinkSync(ground.out(), ground.app);
  expect(readTextFile(ground.in("secret"), options)).toEqual(expected);
  expect(write(ground.in("f"), "new")).toEqual(expected);
  rmSync(ground.app);
  mkdirSync(ground.app);
  expect(write(ground.in("f"), "new")).toMatchObject({ ok: true });
});

/** Pins as usual, but runs something between the checks of where a directory is. */
const meanwhile =
  (look: number, act: () => void): Pin =>
  (path, options) => {
    const pinned = pinPath(path, options);
    let looks = 0;
    return {
      stat: pinned.stat,
      isKernelFile: () => pinned.isKernelFile(),
      pathTo: (name) => pinned.pathTo(name),
      openForReading: () => pinned.openForReading(),
      [Symbol.dispose]: () => pinned[Symbol.dispose](),
      currentPath() {
        if (++looks === look) act();
        return pinned.currentPath();
      },
    };
  };

test("a directory moved out before the rename gets no file; moved out after it, the caller is told", () => {
  mkdirSync(ground.in("d"));
  writeFileSync(ground.in("d", "f"), "old");
  const away = `${ground.base}/moved`;
  const moveOut = () => renameSync(ground.in("d"), away);
  expect(write(ground.in("d", "f"), "new", meanwhile(3, moveOut))).toMatchObject({
    ok: false,
    refusal: { reason: "outside" },
  });
  expect(readdirSync(away)).toEqual(["f"]);
  expect(readFileSync(`${away}/f`, "utf8")).toBe("old");
  renameSync(away, ground.in("d"));
  expect(write(ground.in("d", "f"), "new", meanwhile(4, moveOut))).toEqual({ ok: true, bytes: 3, moved: true });
});

test("a link that replaces the file before the rename is noticed, and its target is not written", () => {
  writeFileSync(ground.in("f"), "old");
  const swap = () => {
    rmSync(ground.in("f"));
    symlinkSync(ground.out("secret"), ground.in("f"));
  };
  expect(write(ground.in("f"), "new", meanwhile(2, swap))).toMatchObject({ refusal: { reason: "link" } });
  expect(readdirSync(ground.app)).toEqual(["f"]);
});

test("the name of an earlier write's temporary file is free again, whether that write succeeded or not", () => {
  const options = { directories: [ground.app], reserved: nothingReserved, temporaryName, bytesMax: 100 };
  mkdirSync(ground.in("d"));
  for (const name of ["f", "d", "x".repeat(256), "g"]) writeTextFile(ground.in(name), "text", options);
  expect(readdirSync(ground.app).toSorted()).toEqual(["d", "f", "g"]);
});
