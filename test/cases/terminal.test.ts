// SPDX-License-Identifier: MIT OR Apache-2.0
// The commands that agents ask for: shell lines, pipes that are held, output without end, and nobody to type a password.
// @module-tag slow
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tailBytesFor } from "../../agentd/client-side/terminal-requests.ts";
import { defaultLimits } from "../../agentd/config/limits.ts";
import { eventually, openTerminal, shell } from "../../agentd/client-side/terminals/testing/terminals.ts";
import { within } from "../harness/deadline.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "terminal-cases-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const hasTerminals = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

test.runIf(hasTerminals)(
  "git that asks for a password fails at once, and says nothing on agentd's own terminal (case 70)",
  async () => {
    const server = createServer((_, response) => {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="private"' }).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/private`;
    const result = join(home, "git.json");
    const program = fileURLToPath(new URL("password-at-a-terminal.ts", import.meta.url));
    try {
      const line = `'${process.execPath}' --import tsx '${program}' ${url} '${result}'`;
      const script = promisify(execFile)("script", ["-qec", line, "/dev/null"]);
      const { stdout } = await within(50_000, "git has failed", script);
      expect(stdout).toBe("");
    } finally {
      server.close();
    }
    const ends = JSON.parse(readFileSync(result, "utf8")) as { exitCode: number; output: string }[];
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([128, 128]);
    expect(ends[0]?.output).toContain("terminal prompts disabled");
    expect(ends[1]?.output).toContain("could not read Username");
  },
);

test("a whole shell line as the command runs in /bin/sh (case 116)", async () => {
  await using line = await openTerminal({ command: "git status --short /nowhere || echo hi", cwd: home });
  expect(await line.exit).toEqual({ exitCode: 0, signal: null });
  expect(line.terminal.output().output).toContain("hi\n");
});

test("a file with a space in its name is run as that file, and its name is no shell line (case 116)", async () => {
  const file = join(home, "a b");
  writeFileSync(file, '#!/bin/sh\necho "ran with $#"\n');
  chmodSync(file, 0o755);
  for (const asked of [
    { command: file },
    { command: "./a b" },
    { command: "a b", env: { PATH: `${home}:/usr/bin:/bin` } },
  ]) {
    await using ran = await openTerminal({ cwd: home, ...asked });
    await ran.exit;
    expect(ran.terminal.output().output).toBe("ran with 0\n");
  }
  await using withArguments = await openTerminal({ command: file, args: ["$HOME; x", ""], cwd: home });
  await withArguments.exit;
  expect(withArguments.terminal.output().output).toBe("ran with 2\n");
});

test("an exit is told though a child in the background holds the pipes, and release ends the child (case 118)", async () => {
  await using held = await shell("sleep 600 & echo done");
  expect(await within(10_000, "the exit was told", held.exit)).toEqual({ exitCode: 0, signal: null });
  expect(held.terminal.output()).toEqual({ output: "done\n", truncated: false, exit: { exitCode: 0, signal: null } });
  expect(held.living()).toHaveLength(1);
  await held.terminal.release();
  expect(held.living()).toEqual([]);
});

test("ten bytes of emoji are two whole ones, and truncated (case 119)", async () => {
  await using emoji = await shell("printf 😀😁😂🤣", { tailBytesMax: 10 });
  await emoji.exit;
  expect(emoji.terminal.output()).toMatchObject({ output: "😂🤣", truncated: true });
});

test("fifty megabytes into 64 KiB hold nobody up, and a limit of zero keeps nothing (case 121)", async () => {
  const late = watchTimers();
  await using big = await shell("head -c 52428800 /dev/zero | tr '\\0' x", { tailBytesMax: 64 * KiB });
  await within(50_000, "all was read", big.exit);
  expect(late.stop()).toBeLessThan(300);
  const { output, truncated } = big.terminal.output();
  expect([output.length, truncated]).toEqual([64 * KiB, true]);
  await using none = await shell("echo something", { tailBytesMax: 0 });
  await none.exit;
  expect(none.terminal.output()).toMatchObject({ output: "", truncated: true });
  await using silent = await shell("true", { tailBytesMax: 0 });
  await silent.exit;
  expect(silent.terminal.output()).toMatchObject({ output: "", truncated: false });
});

test.each([
  ["without a limit", undefined],
  ["with a limit of 2^53 bytes", 2 ** 53],
  ["with a limit of 64 KiB", 64 * KiB],
])("output without end %s costs a bounded memory, and holds nobody up (case 122)", async (_, asked) => {
  const tailBytesMax = tailBytesFor(asked, defaultLimits);
  await using yes = await openTerminal({ command: "yes", tailBytesMax });
  await eventually("it is long", () => yes.terminal.output().truncated);
  const before = process.memoryUsage().arrayBuffers;
  const late = watchTimers();
  const noise = await shell("cat /dev/urandom >&2");
  try {
    await setTimeout(1500); // the measured time itself
  } finally {
    await noise.terminal.release();
  }
  expect(late.stop()).toBeLessThan(300);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MiB);
  expect(Buffer.byteLength(yes.terminal.output().output)).toBe(Math.min(asked ?? MiB, 4 * MiB));
  await yes.terminal.release();
  expect(yes.living()).toEqual([]);
});

/** How many milliseconds a timer of 20 ms was late at worst. */
function watchTimers(): { stop(): number } {
  let last = performance.now();
  let latest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    latest = Math.max(latest, now - last - 20);
    last = now;
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return latest;
    },
  };
}
