// SPDX-License-Identifier: MIT OR Apache-2.0
// Files of an agent whose session an editor has a lease of: what is read and written there, and what agentd does itself.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refused } from "../../bus-client/index.ts";
import type { Limits } from "../../agentd/config/limits.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import { buffers, EditorHere, type Serves } from "../harness/editor.ts";
import type { JsonObject, RequestStep, Step } from "../scripted-agent/scenario.ts";
import { ofKind, openScene, turnEnd } from "./scene.ts";

const ask = (id: string, method: string, params: JsonObject): RequestStep => ({
  request: method,
  id,
  params: { sessionId: "$sessionId", ...params },
});
const read = (id: string, path: string, more: JsonObject = {}): RequestStep =>
  ask(id, "fs/read_text_file", { path: `$cwd/${path}`, ...more });
const write = (id: string, path: string, content: string): RequestStep =>
  ask(id, "fs/write_text_file", { path: `$cwd/${path}`, content });
const endTurn: Step = { reply: { stopReason: "end_turn" } };

/** A session whose agent takes these steps when it is prompted. */
async function openStage(steps: readonly Step[], limits: Partial<Limits> = {}) {
  const scene = await openScene(
    { scripted: { rules: [{ on: "session/prompt", do: [...steps, endTurn] }] } },
    { limits },
  );
  const cwd = scene.place.directory();
  const session = await scene.idle({ cwd });
  return {
    scene,
    cwd,
    session,
    user: scene.user,
    editor: async (serves: Serves) => await EditorHere.connect(scene.daemon.daemon.busUrl(), serves),
    answer: (id: string) =>
      scene
        .agent()
        .received()
        .find((frame) => frame["id"] === id && frame["method"] === undefined),
    /** Prompts, and returns the entries of files and diagnostics when the turn has ended. */
    async run() {
      await scene.user.prompt(session, "go");
      await turnEnd(scene.user, session);
      const entries = await scene.user.log(session);
      return { files: fileRows(entries, cwd), diagnostics: ofKind(entries, "diagnostic") };
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

function fileRows(entries: readonly Entry[], cwd: string) {
  return ofKind(entries, "file").map(({ op, phase, path, citizen, reason }) => [
    op,
    phase,
    path.slice(cwd.length + 1),
    citizen ?? "agentd",
    ...(reason === undefined ? [] : [reason]),
  ]);
}

test("what the editor has unsaved is what the agent reads, cut to its lines by agentd, and its writes reach the editor alone", async () => {
  const steps = [
    read("whole", "open.txt"),
    read("lines", "open.txt", { line: 2, limit: 1 }),
    read("new", "unsaved.txt"),
    write("write", "made/there.txt", "by the agent\n"),
    read("again", "made/there.txt"),
  ];
  await using stage = await openStage(steps);
  const { cwd, session } = stage;
  writeFileSync(join(cwd, "open.txt"), "saved\n");
  const texts = new Map([
    [join(cwd, "open.txt"), "one\r\ntwo\nthree"],
    [join(cwd, "unsaved.txt"), "never saved"],
  ]);
  await using editor = await stage.editor(buffers(texts));
  const { snapshot } = await editor.attach(session);
  expect(snapshot).toMatchObject({ session, state: "idle", cwd });
  const { files } = await stage.run();

  expect(stage.answer("whole")).toMatchObject({ result: { content: "one\r\ntwo\nthree" } });
  expect(stage.answer("lines")).toMatchObject({ result: { content: "two\n" } });
  expect(stage.answer("new")).toMatchObject({ result: { content: "never saved" } });
  expect(stage.answer("write")).toMatchObject({ result: {} });
  expect(stage.answer("again")).toMatchObject({ result: { content: "by the agent\n" } });
  expect(existsSync(join(cwd, "made", "there.txt"))).toBe(false);
  expect(readFileSync(join(cwd, "open.txt"), "utf8")).toBe("saved\n");
  expect(files).toEqual([
    ["read", "done", "open.txt", editor.name],
    ["read", "done", "open.txt", editor.name],
    ["read", "done", "unsaved.txt", editor.name],
    ["write", "intended", "made/there.txt", editor.name],
    ["write", "done", "made/there.txt", editor.name],
    ["read", "done", "made/there.txt", editor.name],
  ]);
  expect(editor.asked.map(([, args]) => args)).toContainEqual({ path: join(cwd, "open.txt") });
});

test("an editor that does not serve, has no such file, or does not answer in time leaves the file to agentd", async () => {
  const steps = [read("closed", "a.txt"), read("missing", "b.txt"), write("write", "c.txt", "text\n")];
  await using stage = await openStage(steps, { leaseCallMs: 200 });
  const { cwd, session } = stage;
  writeFileSync(join(cwd, "a.txt"), "on disk\n");
  await using editor = await stage.editor({
    "client.fs.read": ({ args }) =>
      String(args["path"]).endsWith("a.txt") ? refused("NOT_FOUND", "not open") : { rc: 0, body: '{"content":""}' },
    "client.fs.write": () => {},
  });
  await editor.attach(session);
  const { files, diagnostics } = await stage.run();
  expect(stage.answer("closed")).toMatchObject({ result: { content: "on disk\n" } });
  expect(stage.answer("missing")).toMatchObject({ error: { code: -32002 } });
  expect(stage.answer("write")).toMatchObject({ result: {} });
  expect(readFileSync(join(cwd, "c.txt"), "utf8")).toBe("text\n");
  expect(files).toEqual([
    ["read", "done", "a.txt", "agentd"],
    ["read", "refused", "b.txt", "agentd", "missing"],
    ["write", "intended", "c.txt", editor.name],
    ["write", "done", "c.txt", "agentd"],
  ]);
  expect(diagnostics).toMatchObject([{ what: "editor-away", message: expect.stringContaining("200 ms") }]);

  await using without = await stage.editor({});
  await without.attach(session);
  await stage.user.prompt(session, "go");
  await turnEnd(stage.user, session, 2);
  expect(fileRows(await stage.user.log(session), cwd).slice(files.length)).toContainEqual([
    "read",
    "done",
    "a.txt",
    "agentd",
  ]);
});

test("a write that the editor refuses is the agent's error, and nothing is written", async () => {
  await using stage = await openStage([write("write", "a.txt", "text\n")]);
  await using editor = await stage.editor({ "client.fs.write": () => refused("CONFLICT", "it has unsaved changes") });
  await editor.attach(stage.session);
  const { files } = await stage.run();
  expect(stage.answer("write")).toMatchObject({
    error: { code: -32603, message: expect.stringContaining("unsaved changes") },
  });
  expect(files[1]).toEqual(["write", "refused", "a.txt", "agentd", "editor"]);
  expect(existsSync(join(stage.cwd, "a.txt"))).toBe(false);
});

test("what is outside, a link or no text is refused before the editor is asked", async () => {
  const steps = [
    read("read", "out/secret"),
    write("write", "out/made", "x"),
    write("above", "../made", "x"),
    write("link", "link", "x"),
    read("directory", "sub"),
    write("lone", "a.txt", "\ud800"),
  ];
  await using stage = await openStage(steps);
  const { cwd } = stage;
  const out = join(stage.scene.place.home, "out");
  mkdirSync(out);
  mkdirSync(join(cwd, "sub"));
  writeFileSync(join(out, "secret"), "s3cret");
  symlinkSync(out, join(cwd, "out"));
  symlinkSync(join(cwd, "target"), join(cwd, "link"));
  await using editor = await stage.editor(buffers(new Map()));
  await editor.attach(stage.session);
  const { files } = await stage.run();
  expect(editor.asked).toEqual([]);
  for (const id of ["read", "write", "above", "link", "directory", "lone"]) {
    expect([id, stage.answer(id)]).toMatchObject([id, { error: { code: -32602 } }]);
  }
  expect(files.filter(([, phase]) => phase === "refused").map(([, , , , reason]) => reason)).toEqual([
    "outside",
    "outside",
    "outside",
    "link",
    "directory",
    "not-text",
  ]);
});

test("a text with a secret, or too long for the Bus, is written by agentd and never travels over it", async () => {
  const steps = [
    write("secret", "a.txt", "key: t0p-s3cret\n"),
    ask("long", "fs/write_text_file", { path: "$cwd/b.txt", content: { $fill: 9_000_000 } }),
  ];
  await using scene = await openScene(
    { scripted: { rules: [{ on: "session/prompt", do: [...steps, endTurn] }] } },
    { settings: 'allow_env = ["MY_TOKEN"]' },
  );
  writeFileSync(join(scene.place.stateDirectory, "env", "MY_TOKEN"), "t0p-s3cret", { mode: 0o600 });
  const cwd = scene.place.directory();
  const session = await scene.idle({ cwd, env: ["MY_TOKEN"] });
  await using editor = await EditorHere.connect(scene.daemon.daemon.busUrl(), buffers(new Map()));
  await editor.attach(session);
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("key: t0p-s3cret\n");
  expect(readFileSync(join(cwd, "b.txt"), "utf8")).toHaveLength(9_000_000);
  expect(editor.asked).toEqual([]);
  expect(fileRows(await scene.user.log(session), cwd).map(([, phase, path, by]) => [phase, path, by])).toEqual([
    ["intended", "a.txt", "agentd"],
    ["done", "a.txt", "agentd"],
    ["intended", "b.txt", editor.name],
    ["done", "b.txt", "agentd"],
  ]);
});

test("of two leases the newest that offers it is asked, and after a detach the older one, then agentd", async () => {
  await using stage = await openStage([read("$id", "a.txt")]);
  const { cwd, session, user } = stage;
  writeFileSync(join(cwd, "a.txt"), "disk");
  const path = join(cwd, "a.txt");
  await using first = await stage.editor(buffers(new Map([[path, "first"]])));
  await using second = await stage.editor(buffers(new Map([[path, "second"]])));
  await using writer = await stage.editor(buffers(new Map([[path, "writer"]])));
  await first.attach(session);
  await second.attach(session);
  await writer.attach(session, { offers: ["fs.write"] });
  const readers: unknown[] = [];
  const runs = [
    async () => {},
    () => second.call("agent.session.detach", { session, citizen: second.name }),
    () => first.call("agent.session.detach", { session, citizen: first.name }),
  ];
  for (const [index, before] of runs.entries()) {
    await before();
    await user.prompt(session, "go");
    await turnEnd(user, session, index + 1);
    readers.push(fileRows(await user.log(session), cwd).at(-1)?.[3]);
  }
  expect(readers).toEqual([second.name, first.name, "agentd"]);
  expect(writer.asked).toEqual([]);
  expect(await first.call("agent.session.detach", { session, citizen: first.name })).toEqual({
    session,
    detached: false,
  });
});

test("an editor that is killed while it is asked leaves the read to agentd, and a session that closes leaves nothing waiting", async () => {
  await using stage = await openStage([read("read", "a.txt")]);
  const { cwd, session, user } = stage;
  writeFileSync(join(cwd, "a.txt"), "disk");
  await using killed = await stage.editor({ "client.fs.read": () => {} });
  await killed.attach(session, { keep_running: true });
  await user.prompt(session, "go");
  await killed.askedFor("client.fs.read");
  await killed.kill();
  await turnEnd(user, session);
  expect(stage.answer("read")).toMatchObject({ result: { content: "disk" } });

  await using silent = await stage.editor({ "client.fs.read": () => {} });
  await silent.attach(session);
  await user.prompt(session, "go");
  await silent.askedFor("client.fs.read");
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  expect((await user.get(session)).state).toBe("closed");
  expect(fileRows(await user.log(session), cwd)).toHaveLength(1);
  await expect(silent.attach(session)).rejects.toMatchObject({ error_code: "SESSION_STATE" });
});
