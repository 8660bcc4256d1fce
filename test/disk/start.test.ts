// SPDX-License-Identifier: MIT OR Apache-2.0
// What agentd makes of a log that it finds: one that it cannot use is left as it is and said so, with a code that tells
// a service manager not to try again; one that lost its end loses that alone.
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cast, makeCast, ofKind, startWatched, turnEnd } from "../cases/scene.ts";
import { agentdProgram, startDaemonProcess } from "../harness/daemon-process.ts";
import { within } from "../harness/deadline.ts";
import type { Place } from "../harness/place.ts";
import { BusUser } from "../harness/bus-user.ts";
import { fillDisk, mountFile, mountSmallDisk } from "./mounts.ts";

const logFile = ({ stateDirectory }: Place): string => join(stateDirectory, "log.db");

/** A log with one session in it, made once: the places of these tests get copies. */
let made: { readonly session: string; readonly log: Buffer };

beforeAll(async () => {
  using cast = makeCast({ scripted: {} });
  const session = await someLife(cast.place);
  made = { session, log: readFileSync(logFile(cast.place)) };
});

/** A place with that log. */
function makeLoggedCast(): Cast {
  const cast = makeCast({ scripted: {} });
  mkdirSync(cast.place.stateDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(logFile(cast.place), made.log, { mode: 0o600 });
  return cast;
}

/** One session, with a turn, ended properly; the log is one file afterwards. */
async function someLife(place: Place, program = agentdProgram): Promise<string> {
  await using daemon = await startDaemonProcess(place, {}, program);
  const user = await BusUser.watching(await daemon.connect());
  const session = await user.start({ agent: "scripted", cwd: place.directory(), prompt: "hello" });
  await turnEnd(user, session);
  return session;
}

/** agentd, which is expected not to come up. */
async function refusedStart(place: Place, program = agentdProgram): Promise<{ code: number | null; words: string }> {
  const child = spawn(process.execPath, [program], { env: place.environment, stdio: ["ignore", "ignore", "pipe"] });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
    // It has come up after all.
    if (words.includes("on the Bus as agent")) child.kill("SIGTERM");
  });
  const [code] = (await within(30_000, "agentd does not end", once(child, "close"))) as [number | null];
  return { code, words };
}

/** Names and bytes of what the log is made of. */
function filesOfLog({ stateDirectory }: Place): Record<string, Buffer> {
  const names = readdirSync(stateDirectory).filter((name) => name.startsWith("log.db"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(stateDirectory, name))]));
}

test("a log of a newer schema is refused with code 2, says what to do, and is not touched", async () => {
  using cast = makeLoggedCast();
  const { place } = cast;
  const db = new Database(logFile(place));
  db.pragma("user_version = 99");
  db.close();
  const before = filesOfLog(place);
  const { code, words } = await refusedStart(place);
  expect(code).toBe(2);
  expect(words).toContain("start a newer agentd");
  expect(words).not.toContain("    at ");
  expect(filesOfLog(place)).toEqual(before);
});

test("a log that is cut short is refused with code 2 as damaged, and is not touched", async () => {
  using cast = makeLoggedCast();
  const { place } = cast;
  truncateSync(logFile(place), Math.floor(statSync(logFile(place)).size / 2 / 8192) * 8192);
  const before = filesOfLog(place);
  const { code, words } = await refusedStart(place);
  expect(code).toBe(2);
  expect(words).toContain("log.db");
  expect(words).not.toContain("    at ");
  expect(filesOfLog(place)["log.db"]?.equals(before["log.db"] ?? Buffer.alloc(0))).toBe(true);
});

test("a log that may only be read is refused with code 2, and works again when it can be written", async ({ skip }) => {
  using cast = makeLoggedCast();
  const { place } = cast;
  {
    using mount = mountFile(logFile(place)) ?? skip("making a file read-only for everybody takes root on Linux");
    mount.remount("ro,bind");
    const { code, words } = await refusedStart(place);
    expect([code, words]).toEqual([2, expect.stringContaining("log.db")]);
    expect(words).not.toContain("    at ");
  }
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  expect((await user.get(made.session)).state).toBe("closed");
});

test("a state directory on a read-only disk is refused with code 2 and without a stack", async ({ skip }) => {
  using cast = makeCast({ scripted: {} });
  const { place } = cast;
  mkdirSync(place.stateDirectory, { recursive: true, mode: 0o700 });
  using disk = mountSmallDisk(place.stateDirectory, "8m") ?? skip("mounting a small disk takes root on Linux");
  writeFileSync(logFile(place), made.log, { mode: 0o600 });
  disk.remount("ro");
  const readOnly = await refusedStart(place);
  expect(readOnly).toEqual({ code: 2, words: expect.stringContaining(place.stateDirectory) as string });
  expect(readOnly.words).not.toContain("    at ");
});

test("a disk that is full when agentd starts is no reason never to try again: code 1, without a stack", async ({
  skip,
}) => {
  using cast = makeCast({ scripted: {} });
  const { place } = cast;
  mkdirSync(place.stateDirectory, { recursive: true, mode: 0o700 });
  using _ = mountSmallDisk(place.stateDirectory, "1m") ?? skip("mounting a small disk takes root on Linux");
  const makeRoom = fillDisk(place.stateDirectory);
  const full = await refusedStart(place);
  expect(full.code).toBe(1);
  expect(full.words).toMatch(/full|ENOSPC/);
  expect(full.words).not.toContain("    at ");
  makeRoom();
  expect(await someLife(place)).toMatch(/^[a-z2-7]{12}$/);
});

test("a machine that stopped in the middle of a page costs the last commits, whole ones, and agentd goes on", async () => {
  using cast = makeCast({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          match: "speak",
          do: [{ repeat: 60, do: [{ text: "word " }, { waitMs: 1 }] }, { text: "!" }],
        },
      ],
    },
  });
  const { place } = cast;
  const first = await startWatched(place);
  await using killed = first.daemon;
  const { user } = first;
  const session = await user.start({ agent: "scripted", cwd: place.directory(), prompt: "speak" });
  await user.entry(session, (entry) => entry.kind === "message" && String(entry.content["text"]).endsWith("!"));
  killed.child.kill("SIGKILL");
  await within(10_000, "agentd is not gone", killed.exited);
  const seen = user.seen.filter((entry) => entry.session === session);
  const wal = `${logFile(place)}-wal`;
  truncateSync(wal, statSync(wal).size - 5_000);

  const second = await startWatched(place);
  await using _ = second.daemon;
  const log = await second.user.log(session);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_entry, index) => index + 1));
  const recovered = log.findIndex(
    (entry) => entry.kind === "tool_call" || (entry.kind === "turn" && entry.phase === "ended"),
  );
  expect(log.slice(0, recovered)).toEqual(seen.slice(0, recovered));
  expect(recovered).toBeLessThan(seen.length);
  expect(recovered).toBeGreaterThan(5);
  expect(ofKind(log, "turn").at(-1)).toMatchObject({ phase: "ended", stop_reason: "interrupted" });
  expect(await second.user.call("agent.log.verify", {})).toMatchObject({ ok: true, problems: [] });
});

/** This agentd with one migration more, as a next release would bring it. */
function nextRelease(sql: string): string {
  const directory = mkdtempSync(join(tmpdir(), "agentd-next-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = fileURLToPath(new URL("../../", import.meta.url));
  cpSync(join(root, "dist"), join(directory, "dist"), { recursive: true });
  copyFileSync(join(root, "package.json"), join(directory, "package.json"));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  const migrations = join(directory, "dist", "migrations");
  const next = String(readdirSync(migrations).filter((name) => name.endsWith(".sql")).length + 1).padStart(4, "0");
  writeFileSync(join(migrations, `${next}-next.sql`), sql);
  return join(directory, "dist", "bin", "agentd.cjs");
}

test("a new release copies the log before it migrates it, and the copy is the way back", async () => {
  using cast = makeLoggedCast();
  const { place } = cast;
  const file = logFile(place);
  const program = nextRelease("ALTER TABLE session ADD COLUMN colour TEXT;");
  const after = await someLife(place, program);
  const copies = readdirSync(dirname(file)).filter((name) => name.startsWith("log.db.schema-"));
  expect(copies).toHaveLength(1);
  const copy = join(dirname(file), copies[0]!);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  // The old release takes the new log for what it is, and goes on with the copy.
  expect(await refusedStart(place)).toMatchObject({ code: 2 });
  copyFileSync(copy, file);
  expect(existsSync(`${file}-wal`)).toBe(false);
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  expect((await user.get(made.session)).state).toBe("closed");
  expect((await user.refusal("agent.session.get", { session: after })).code).toBe("SESSION_UNKNOWN");
  expect(await user.call("agent.log.verify", {})).toMatchObject({ ok: true, problems: [] });
});

test("where no Bus is and the place for one is another's, agentd says why and ends with 2", async ({ skip }) => {
  if (process.getuid?.() !== 0) skip("giving a directory to another user takes root");
  using cast = makeCast({ scripted: {} });
  const { place } = cast;
  const directory = join(place.environment["XDG_RUNTIME_DIR"] ?? "", "mixos");
  mkdirSync(directory, { recursive: true });
  chownSync(directory, 65_534, 65_534);
  const { code, words } = await refusedStart(place);
  expect([code, words]).toEqual([2, expect.stringContaining(`${directory} belongs to uid 65534`)]);
  expect(words).not.toContain("    at ");
});

test("a configuration that everybody can replace is refused with code 2 and the directory's name", async () => {
  using cast = makeCast({ scripted: {} });
  const { place } = cast;
  const above = dirname(dirname(place.configFile));
  chmodSync(above, 0o777);
  const { code, words } = await refusedStart(place);
  expect([code, words]).toEqual([2, expect.stringContaining(`${above} is a directory where everybody can replace it`)]);
});
