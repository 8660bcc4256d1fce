// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents that read much at once through their client: what waits for them is bounded, and is no reason to end them.
// @module-tag slow
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject, RequestStep } from "../scripted-agent/scenario.ts";
import { ofKind, onPrompt, openScene, turnEnd } from "./scene.ts";

const MiB = 1024 * 1024;

const ask = (id: string, method: string, params: JsonObject): RequestStep => ({
  request: method,
  id,
  params: { sessionId: "$sessionId", ...params },
  await: false,
});
const wait = (step: RequestStep): RequestStep => ({ ...step, await: true });

test("texts that together are more than a pipe may hold are read one after the other, one that never could be is refused, and the session lives", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const steps = [
    ...names.map((name) => ask(name, "fs/read_text_file", { path: "$cwd/plain" })),
    ask("nul", "fs/read_text_file", { path: "$cwd/nul" }),
    wait(
      ask("create", "terminal/create", {
        command: "head",
        args: ["-c", `${4 * MiB}`, "/dev/zero"],
        outputByteLimit: 4 * MiB,
      }),
    ),
    wait(ask("exit", "terminal/wait_for_exit", { terminalId: "$terminalId" })),
    // Each has 24 MiB as JSON.
    ...names.map((name) => ask(`output ${name}`, "terminal/output", { terminalId: "$terminalId" })),
    { awaitAnswers: true } as const,
  ];
  await using scene = await openScene({
    scripted: onPrompt(...steps, { reply: { stopReason: "end_turn" } }),
  });
  const cwd = scene.place.directory();
  writeFileSync(join(cwd, "plain"), "x".repeat(13 * MiB));
  writeFileSync(join(cwd, "nul"), "\0".repeat(12 * MiB));
  const session = await scene.idle({ cwd });
  await scene.user.prompt(session, "go");
  // 220 MiB of JSON go through the pipes; how fast depends on what else the machine does.
  expect(await turnEnd(scene.user, session, 1, 120_000)).toMatchObject({ stop_reason: "end_turn" });

  const answers = new Map(
    scene
      .agent()
      .received()
      .flatMap((frame) => (frame["method"] === undefined ? [[frame["id"], frame] as const] : [])),
  );
  const lengthOf = (id: string, member: string): unknown =>
    (answers.get(id)?.["result"] as Record<string, string> | undefined)?.[member]?.length;
  expect(names.map((name) => lengthOf(name, "content"))).toEqual(names.map(() => 13 * MiB));
  expect(names.map((name) => lengthOf(`output ${name}`, "output"))).toEqual(names.map(() => 4 * MiB));
  expect(answers.get("nul")).toMatchObject({ error: { code: -32603, message: expect.stringContaining("as JSON") } });
  const refused = ofKind(await scene.user.log(session), "file").find(({ phase }) => phase === "refused");
  expect(refused).toMatchObject({ op: "read", reason: "too-big" });
}, 150_000);

test("what is asked behind texts that wait has the meaning that it had when it was asked", async () => {
  const steps = [
    wait(ask("create", "terminal/create", { command: "echo", args: ["said"] })),
    wait(ask("exit", "terminal/wait_for_exit", { terminalId: "$terminalId" })),
    ask("one", "fs/read_text_file", { path: "$cwd/plain" }),
    ask("two", "fs/read_text_file", { path: "$cwd/plain" }),
    ask("output", "terminal/output", { terminalId: "$terminalId" }),
    ask("release", "terminal/release", { terminalId: "$terminalId" }),
    ask("before", "fs/read_text_file", { path: "$cwd/small" }),
    ask("write", "fs/write_text_file", { path: "$cwd/small", content: "new" }),
    { awaitAnswers: true } as const,
  ];
  await using scene = await openScene({
    scripted: onPrompt(...steps, { reply: { stopReason: "end_turn" } }),
  });
  const cwd = scene.place.directory();
  writeFileSync(join(cwd, "plain"), "x".repeat(13 * MiB));
  writeFileSync(join(cwd, "small"), "old");
  const session = await scene.idle({ cwd });
  await scene.user.prompt(session, "go");
  expect(await turnEnd(scene.user, session)).toMatchObject({ stop_reason: "end_turn" });
  const answered = (id: string): unknown => {
    const answers = scene.agent().received();
    return answers.find((frame) => frame["id"] === id && frame["method"] === undefined);
  };
  expect(answered("output")).toMatchObject({ result: { output: "said\n" } });
  expect(answered("release")).toMatchObject({ result: {} });
  expect(answered("before")).toMatchObject({ result: { content: "old" } });
  expect(readFileSync(join(cwd, "small"), "utf8")).toBe("new");
});
