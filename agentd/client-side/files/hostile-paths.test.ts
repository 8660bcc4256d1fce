// SPDX-License-Identifier: MIT OR Apache-2.0
// Paths and files made to escape the session's directories, to block agentd or to break it, with each way to pin.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readTextFile } from "./read-text-file.ts";
import type { RefusalReason } from "./refusal.ts";
import { asOrdinaryUser, type Ground, makeGround, secret, temporaryName, pinMethods } from "./testing/ground.ts";
import { writeTextFile } from "./write-text-file.ts";
import { nothingReserved } from "../../testing/nothing-reserved.ts";

const uid = process.getuid?.() ?? 0;
const linux = process.platform === "linux";
let ground: Ground;

beforeEach(() => {
  ground = makeGround();
});

afterEach(() => {
  ground.requireAsItWas();
  ground[Symbol.dispose]();
});

interface Hostile {
  readonly what: string;
  /** Makes it and returns the path to request. Undefined if this machine or user cannot make one. */
  readonly make: (made: Ground) => string | undefined;
  readonly read: RefusalReason | { readonly text: string };
  readonly write: RefusalReason | "written";
  readonly linuxOnly?: true;
  /** Permissions do not bind root, so another user requests it. */
  readonly ordinary?: true;
}

/** Makes a link `name` in the session's directory to the path that `to` returns. */
function linked(name: string, to: (made: Ground) => string, rest = ""): (made: Ground) => string {
  return (made) => {
    symlinkSync(to(made), made.in(name));
    return made.in(name) + rest;
  };
}

const hostile: readonly Hostile[] = [
  { what: "nothing", make: () => "", read: "relative", write: "relative" },
  { what: "a relative path", make: () => "app/x", read: "relative", write: "relative" },
  { what: "a NUL", make: (g) => `${g.app}/a\0b`, read: "name", write: "name" },
  { what: "a lone surrogate", make: (g) => `${g.app}/a\ud800`, read: "name", write: "name" },
  { what: "a name of 300 bytes", make: (g) => g.in("é".repeat(150)), read: "name", write: "name" },
  { what: "a path of 5,000 bytes", make: (g) => g.app + "/x".repeat(2_500), read: "name", write: "name" },
  {
    what: "a path of 4,000 bytes",
    make: (g) => `${g.app}/${"x/../".repeat(780)}secret`,
    read: "missing",
    write: "missing",
  },
  { what: "a file outside", make: (g) => g.out("secret"), read: "outside", write: "outside" },
  { what: "nothing, outside", make: (g) => g.out("none"), read: "outside", write: "outside" },
  { what: "nothing below a file outside", make: (g) => g.out("secret/x"), read: "outside", write: "outside" },
  { what: "a way out by ..", make: (g) => `${g.app}/../out/secret`, read: "outside", write: "outside" },
  { what: "nothing by ..", make: (g) => `${g.app}/../out/none/x`, read: "outside", write: "outside" },
  {
    what: "a name that begins like the directory's",
    make: (g) => `${g.app}-evil/secret`,
    read: "outside",
    write: "outside",
  },
  { what: "the directory above", make: (g) => g.base, read: "outside", write: "outside" },
  { what: "the directory itself", make: (g) => g.app, read: "directory", write: "outside" },
  { what: "the directory with a slash", make: (g) => `${g.app}/`, read: "directory", write: "directory" },
  { what: "a directory in it", make: (g) => (mkdirSync(g.in("d")), g.in("d")), read: "directory", write: "directory" },
  {
    what: "a file with a slash",
    make: (g) => (writeFileSync(g.in("f"), ""), `${g.in("f")}/`),
    read: "missing",
    write: "directory",
  },
  {
    what: "below a file",
    make: (g) => (writeFileSync(g.in("f"), ""), g.in("f", "x")),
    read: "missing",
    write: "missing",
  },
  { what: "a link to a file outside", make: linked("l", (g) => g.out("secret")), read: "outside", write: "link" },
  { what: "a link to the machine", make: linked("l", () => "/", "/etc/passwd"), read: "outside", write: "outside" },
  {
    what: "a link to a directory outside",
    make: linked("l", (g) => g.out(), "/secret"),
    read: "outside",
    write: "outside",
  },
  { what: "nothing, by such a link", make: linked("l", (g) => g.out(), "/none"), read: "outside", write: "outside" },
  {
    what: "directories to be made, by such a link",
    make: linked("l", (g) => g.out(), "/new/x"),
    read: "outside",
    write: "outside",
  },
  { what: ".. behind a link", make: linked("l", (g) => g.out(), "/../app/x"), read: "missing", write: "written" },
  { what: "a broken link to the outside", make: linked("l", (g) => g.out("none")), read: "link", write: "link" },
  {
    what: "below a broken link",
    make: linked("l", (g) => g.out("none"), "/x"),
    read: "link",
    write: "link",
  },
  { what: "a loop of links", make: linked("l", () => "l"), read: "link", write: "link" },
  { what: "below a loop of links", make: linked("l", () => "l", "/x"), read: "link", write: "link" },
  {
    what: "a link to a file inside",
    make: (g) => (writeFileSync(g.in("f"), "in"), linked("l", () => "f")(g)),
    read: { text: "in" },
    write: "link",
  },
  {
    what: "a link to a directory inside",
    make: (g) => (mkdirSync(g.in("d")), writeFileSync(g.in("d", "f"), "in"), linked("l", () => "d", "/f")(g)),
    read: { text: "in" },
    write: "written",
  },
  {
    what: "a hard link to a file outside",
    make: (g) => (linkSync(g.out("secret"), g.in("h")), g.in("h")),
    read: { text: secret },
    write: "written",
  },
  {
    what: "a FIFO",
    make: (g) => (execFileSync("mkfifo", [g.in("p")]), g.in("p")),
    read: "not-a-file",
    write: "not-a-file",
  },
  {
    what: "a link to a FIFO",
    make: (g) => (execFileSync("mkfifo", [g.in("p")]), linked("l", () => "p")(g)),
    read: "not-a-file",
    write: "link",
  },
  { what: "a link to /dev/zero", make: linked("l", () => "/dev/zero"), read: "outside", write: "link" },
  {
    what: "a device",
    make: (g) =>
      uid === 0 && spawnSync("mknod", [g.in("zero"), "c", "1", "5"]).status === 0 ? g.in("zero") : undefined,
    read: "not-a-file",
    write: "not-a-file",
  },
  { what: "/dev/zero", make: () => "/dev/zero", read: "outside", write: "outside" },
  { what: "/dev/tty", make: () => "/dev/tty", read: "outside", write: "outside" },
  { what: "/proc/self/environ", make: () => "/proc/self/environ", read: "outside", write: "outside", linuxOnly: true },
  {
    what: "a file of the machine, by /proc",
    make: () => "/proc/self/root/etc/passwd",
    read: "outside",
    write: "outside",
    linuxOnly: true,
  },
  {
    what: "a link into /proc",
    make: linked("l", () => "/proc/self", "/environ"),
    read: "outside",
    write: "outside",
    linuxOnly: true,
  },
  {
    what: "a file inside, by /proc",
    make: (g) => (writeFileSync(g.in("f"), "in"), `/proc/self/root${g.in("f")}`),
    read: { text: "in" },
    write: "written",
    linuxOnly: true,
  },
  {
    what: "a descriptor of agentd's own",
    make: () => "/proc/self/fd/0",
    read: "outside",
    write: "outside",
    linuxOnly: true,
  },
  {
    what: "10 GB of nothing",
    make: (g) => (sparse(g.in("big"), 10 * 2 ** 30), g.in("big")),
    read: "too-big",
    write: "written",
  },
  {
    what: "a newline in the name",
    make: (g) => (writeFileSync(g.in("a\nb"), "in"), g.in("a\nb")),
    read: { text: "in" },
    write: "written",
  },
  {
    what: "the suffix of removed files in the name",
    make: (g) => (writeFileSync(g.in("f (deleted)"), "in"), g.in("f (deleted)")),
    read: { text: "in" },
    write: "written",
  },
  {
    what: "the name in capitals",
    make: (g) => (writeFileSync(g.in("f"), "in"), readable(g.in("F")) ? undefined : g.in("F")),
    read: "missing",
    write: "written",
  },
  {
    what: "the directory in capitals",
    make: (g) => (readable(`${g.base}/APP`) ? undefined : `${g.base}/APP/f`),
    read: "outside",
    write: "outside",
  },
  {
    what: "a file without a write bit",
    make: (g) => (writeFileSync(g.in("f"), "in", { mode: 0o444 }), g.in("f")),
    read: { text: "in" },
    write: "no-permission",
  },
  {
    what: "a file that agentd may not read",
    make: (g) => (writeFileSync(g.in("f"), "in", { mode: 0o200 }), g.in("f")),
    ordinary: true,
    read: "no-permission",
    write: "written",
  },
  {
    what: "a directory that agentd may not write in",
    make: (g) => (mkdirSync(g.in("d"), { mode: 0o500 }), g.in("d", "f")),
    ordinary: true,
    read: "missing",
    write: "no-permission",
  },
  {
    what: "a directory that agentd may not enter",
    make: (g) => (mkdirSync(g.in("d"), { mode: 0o600 }), g.in("d", "f")),
    ordinary: true,
    read: "no-permission",
    write: "no-permission",
  },
];

describe.each(pinMethods)("%s", (_, way) => {
  const cap = { pin: way, bytesMax: 1_000 };

  test.for(hostile)("$what: read $read, write $write", ({ make, read, write, linuxOnly, ordinary }, { skip }) => {
    const path = make(ground);
    if (path === undefined || (linuxOnly && !linux)) return skip("not to be had on this machine, or by this user");
    const directories = [ground.app];
    const before = openDescriptors();
    const act = <Answer>(ask: () => Answer): Answer => (ordinary ? asOrdinaryUser(ground, ask) : ask());
    const got = act(() => readTextFile(path, { directories, reserved: nothingReserved, ...cap }));
    if (typeof read === "string") expect(got).toMatchObject({ ok: false, refusal: { reason: read } });
    else expect(got).toEqual({ ok: true, text: read.text, bytes: read.text.length });
    const put = act(() =>
      writeTextFile(path, "new", { directories, reserved: nothingReserved, temporaryName, ...cap }),
    );
    expect(openDescriptors()).toBe(before);
    if (write !== "written") return expect(put).toMatchObject({ ok: false, refusal: { reason: write } });
    expect(put).toEqual({ ok: true, bytes: 3 });
    chmodSync(path, 0o600);
    return expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("a socket is refused and not connected to", async () => {
    const server = createServer(() => expect.unreachable()).listen(ground.in("s"));
    await once(server, "listening");
    try {
      expect(
        readTextFile(ground.in("s"), { directories: [ground.app], reserved: nothingReserved, ...cap }),
      ).toMatchObject({
        refusal: { reason: "not-a-file", code: -32602 },
      });
    } finally {
      server.close();
      await once(server, "close");
    }
  });

  test("a name that is not UTF-8 does not affect other files", () => {
    const odd = Buffer.concat([Buffer.from(`${ground.app}/`), Buffer.from([0xff, 0xfe])]);
    try {
      writeFileSync(odd, "odd");
    } catch {
      // This file system does not allow such names.
    }
    const options = { directories: [ground.app], reserved: nothingReserved, ...cap };
    expect(writeTextFile(ground.in("f"), "x", { ...options, temporaryName })).toMatchObject({
      ok: true,
    });
    expect(readTextFile(ground.in("f"), options)).toMatchObject({ ok: true, text: "x" });
    expect(readTextFile(ground.in("\uFFFD\uFFFD"), options)).toMatchObject({ refusal: { reason: "missing" } });
  });

  test.each([
    [[""], "outside"],
    [["."], "outside"],
    [[], "outside"],
    [["app"], "outside"],
    [["/"], "in"],
    [["//"], "in"],
    [["/nowhere", "/"], "in"],
  ])(
    "with the directories %j a file of the machine is %s, and /proc, /sys and /dev never are",
    (directories, expected) => {
      writeFileSync(ground.in("f"), "in");
      const read = (path: string) => readTextFile(path, { directories, reserved: nothingReserved, ...cap });
      expect(read(ground.in("f"))).toMatchObject(
        expected === "in" ? { text: "in" } : { refusal: { reason: "outside" } },
      );
      for (const path of ["/proc/self/environ", "/sys/kernel/notes", "/dev/zero", "/dev/none"]) {
        expect([path, read(path)]).toMatchObject([path, { refusal: { reason: "outside" } }]);
        const put = writeTextFile(path, "x", {
          directories,
          reserved: nothingReserved,
          temporaryName,
          ...cap,
        });
        expect([path, put]).toMatchObject([path, { refusal: { reason: "outside" } }]);
      }
    },
  );

  test("a message lists the session's directories, and does not tell whether a file outside exists", () => {
    const directories = [ground.app, ...Array.from({ length: 20 }, (_none, index) => `/extra/${index}`)];
    const messages = ["secret", "none"].map((name) => {
      const got = readTextFile(ground.out(name), { directories, reserved: nothingReserved, ...cap });
      return got.ok ? "" : got.refusal.message.replace(name, "NAME");
    });
    expect(messages[0]).toBe(messages[1]);
    expect(messages[0]).toContain(`${JSON.stringify(ground.app)}, "/extra/0"`);
    expect(messages[0]).toContain("and 13 more");
  });
});

// The kernel gives its name in the other mount namespace, which is another file's name here.
test.runIf(linux)(
  "the session's directory as another mount namespace has it is not the session's",
  async ({ skip }) => {
    writeFileSync(ground.in("secret"), "in");
    const script = `mount --bind "${ground.out()}" "${ground.app}" && echo mounted && exec cat`;
    const child = spawn("unshare", ["--mount", "sh", "-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    const exited = once(child, "exit");
    try {
      const [said] = (await Promise.race([once(child.stdout, "data"), exited])) as [Buffer | number | null];
      if (!(said instanceof Buffer)) return skip("nobody may mount here");
      const path = `/proc/${child.pid}/root${ground.in("secret")}`;
      expect(readFileSync(path, "utf8")).toBe(secret);
      const options = { directories: [ground.app], reserved: nothingReserved, bytesMax: 1_000 };
      expect(readTextFile(path, options).ok).toBe(false);
      expect(writeTextFile(path, "new", { ...options, temporaryName }).ok).toBe(false);
      return expect(readFileSync(ground.in("secret"), "utf8")).toBe("in");
    } finally {
      child.stdin.end();
      await exited;
    }
  },
);

function openDescriptors(): number {
  return linux ? readdirSync("/proc/self/fd").length : 0;
}

function sparse(path: string, bytes: number): void {
  const descriptor = openSync(path, "w");
  ftruncateSync(descriptor, bytes);
  closeSync(descriptor);
  chmodSync(path, 0o644);
}

function readable(path: string): boolean {
  try {
    return readdirSync(path).length >= 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
