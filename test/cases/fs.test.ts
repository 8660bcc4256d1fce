// SPDX-License-Identifier: MIT OR Apache-2.0
// Files that an agent asks for: what got others out of their directory, hung them or destroyed a text.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type ReadResult, readTextFile } from "../../agentd/client-side/files/read-text-file.ts";
import { makeGround, secret, temporaryName } from "../../agentd/client-side/files/testing/ground.ts";
import { type WriteResult, writeTextFile } from "../../agentd/client-side/files/write-text-file.ts";
import { nothingReserved } from "../../agentd/testing/nothing-reserved.ts";

const bytesMax = 1024 * 1024;

const read = (path: string, ...directories: readonly string[]): ReadResult =>
  readTextFile(path, { directories, reserved: nothingReserved, bytesMax });

const write = (path: string, content: string, ...directories: readonly string[]): WriteResult =>
  writeTextFile(path, content, { directories, reserved: nothingReserved, temporaryName, bytesMax });

const refused = (reason: string) => ({ ok: false, refusal: { reason } });

test("a directory that is a link out is a way out for no read, no write and no new directory (case 109)", () => {
  using ground = makeGround();
  symlinkSync("/etc", ground.in("e"));
  symlinkSync(ground.out(), ground.in("o"));
  for (const path of [
    ground.in("e", "passwd"),
    ground.in("o", "secret"),
    ground.in("o", "x"),
    ground.in("o", "new", "x"),
  ]) {
    expect([path, read(path, ground.app)]).toMatchObject([path, refused("outside")]);
    expect([path, write(path, "x", ground.app)]).toMatchObject([path, refused("outside")]);
  }
  ground.requireAsItWas();
});

test("a directory whose name only begins alike is another one, and an empty one is none (case 110)", () => {
  using ground = makeGround();
  const evil = join(ground.base, "app-evil", "secret");
  const here = realpathSync(fileURLToPath(import.meta.url));
  for (const [path, directory] of [
    [evil, ground.app],
    [evil, ""],
    // An empty directory is not the one that agentd runs in either.
    [here, ""],
    [here, "."],
    ["x", ""],
  ] as const) {
    expect([path, read(path, directory).ok, write(path, "x", directory).ok]).toEqual([path, false, false]);
  }
  expect(read(evil, "/")).toMatchObject({ ok: true, text: secret });
  expect(read("/proc/self/environ", "/")).toMatchObject(refused("outside"));
  ground.requireAsItWas();
});

// Elsewhere than on Linux a swap in time gets past the check, which the README of agentd says.
test.runIf(process.platform === "linux")(
  "neither a swap between check and open, nor /proc, a NUL or a name in capitals lead out (case 112)",
  async () => {
    using ground = makeGround();
    writeFileSync(ground.out("f"), "outside");
    const library = dirname(
      fileURLToPath(new URL("../../agentd/client-side/files/read-text-file.ts", import.meta.url)),
    );
    const swapper = spawn(
      process.execPath,
      [join(library, "testing", "swapper.mjs"), "file", ground.app, ground.out()],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const exited = once(swapper, "exit");
    try {
      await once(swapper.stdout, "data");
      // The whole race, with directories too, stands beside the library.
      for (let round = 0; round < 1_000; round++) {
        const got = read(ground.in("f"), ground.app);
        expect(got.ok ? got.text : "inside").toBe("inside");
        if (round % 10 === 0) write(ground.in("f"), "inside", ground.app);
      }
    } finally {
      swapper.kill("SIGKILL");
      await exited;
    }
    expect(readFileSync(ground.out("f"), "utf8")).toBe("outside");
    expect(read("/proc/self/root/etc/passwd", ground.app)).toMatchObject(refused("outside"));
    expect(read(`${ground.app}/a\0/../../out/secret`, ground.app)).toMatchObject(refused("name"));
    expect(read(`${ground.base}/OUT/../app/none`, ground.app).ok).toBe(false);
    // A named residual: a hard link is read; a write gives the name a new file and leaves the other one alone.
    linkSync(ground.out("secret"), ground.in("hard"));
    expect(read(ground.in("hard"), ground.app)).toMatchObject({ text: secret });
    expect(write(ground.in("hard"), "mine", ground.app)).toMatchObject({ ok: true });
    expect(readFileSync(ground.out("secret"), "utf8")).toBe(secret);
  },
);

test("what is no ordinary file, and what is too big, is answered at once and not opened (case 113)", async () => {
  using ground = makeGround();
  execFileSync("mkfifo", [ground.in("fifo")]);
  symlinkSync("/dev/zero", ground.in("zero"));
  mkdirSync(ground.in("directory"));
  writeFileSync(ground.in("sparse"), "");
  truncateSync(ground.in("sparse"), 5 * 2 ** 30);
  const server = createServer(() => expect.unreachable("the socket was connected to")).listen(ground.in("socket"));
  await once(server, "listening");
  try {
    expect(
      ["fifo", "zero", "directory", "sparse", "socket"].map((name) => {
        const got = read(ground.in(name), ground.app);
        return got.ok ? name : `${name}: ${got.refusal.reason}`;
      }),
    ).toEqual(["fifo: not-a-file", "zero: outside", "directory: directory", "sparse: too-big", "socket: not-a-file"]);
    for (const name of ["fifo", "zero", "directory", "socket"])
      expect(write(ground.in(name), "x", ground.app).ok).toBe(false);
  } finally {
    server.close();
    await once(server, "close");
  }
});

test("what is read and written back is the same bytes, or is refused (case 115)", () => {
  using ground = makeGround();
  const path = ground.in("f");
  for (const text of [
    "\uFEFFone\r\ntwo\r\n",
    "\uFEFF",
    "\uFEFF\uFEFFx",
    "a\rb\nc\r\n",
    "no last newline",
    "",
    "\n",
    "e\u0301 é \0",
  ]) {
    writeFileSync(path, text);
    const before = readFileSync(path);
    const got = read(path, ground.app);
    expect(got).toEqual({ ok: true, text, bytes: before.length });
    if (got.ok) expect(write(path, got.text, ground.app)).toEqual({ ok: true, bytes: before.length });
    expect(readFileSync(path)).toEqual(before);
  }
  for (const bytes of [
    Buffer.from("caf\xe9", "latin1"),
    Buffer.from("\uFEFFx", "utf16le"),
    Buffer.from([0xed, 0xa0, 0x80]),
  ]) {
    writeFileSync(path, bytes);
    expect(read(path, ground.app)).toMatchObject(refused("not-text"));
  }
  expect(readdirSync(ground.app)).toEqual(["f"]);
});

test.each([
  [{ line: 2, limit: 1 }, "two\r\n"],
  [{ line: 3 }, "three"],
  [{ line: 0, limit: 1 }, "\uFEFFone\r\n"],
  [{ limit: 0 }, ""],
  [{ line: 4 }, ""],
  [{ line: 1_000_000, limit: 1_000_000 }, ""],
])("lines keep what ends them, and past the end there is nothing: %j (case 115)", (window, text) => {
  using ground = makeGround();
  writeFileSync(ground.in("f"), "\uFEFFone\r\ntwo\r\nthree");
  const options = { directories: [ground.app], reserved: nothingReserved, bytesMax };
  expect(readTextFile(ground.in("f"), { ...options, ...window })).toEqual({
    ok: true,
    text,
    bytes: Buffer.byteLength(text),
  });
});
