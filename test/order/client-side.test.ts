// SPDX-License-Identifier: MIT OR Apache-2.0
// Log first, then act, for what an agent asks of its client: as long as nothing can be logged, no file changes and no
// command runs; when a command runs, another process finds its start on the disk.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Step } from "../scripted-agent/scenario.ts";
import { leftOf } from "../cases/living.ts";
import { makeCast, ofKind, startWatched, turnEnd } from "../cases/scene.ts";
import { fileThere } from "./file-there.ts";
import { openLogReader } from "./log-reader.ts";

test("while the log cannot be written no file is written, no command runs and nothing is answered, and all of it comes later", async () => {
  const asks: Step[] = [
    {
      request: "fs/write_text_file",
      id: "write",
      params: { sessionId: "$sessionId", path: "$cwd/file", content: "new\n" },
      await: false,
    },
    {
      request: "fs/read_text_file",
      id: "read",
      params: { sessionId: "$sessionId", path: "$cwd/file" },
      await: false,
    },
    {
      request: "terminal/create",
      id: "create",
      params: { sessionId: "$sessionId", command: "/bin/sh", args: ["-c", "echo $$ > pid; exec sleep 600"] },
      await: false,
    },
  ];
  using cast = makeCast({
    scripted: {
      rules: [
        {
          on: "session/prompt",
          do: [
            { waitForFile: "$cwd/go" },
            { glue: asks },
            { text: "asked" },
            { writeFile: "asked" },
            { awaitAnswers: true },
            { reply: { stopReason: "end_turn" } },
          ],
        },
      ],
    },
  });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const cwd = place.directory();
  writeFileSync(join(cwd, "file"), "old\n");
  const session = await user.start({ agent: "scripted", cwd });
  await user.wait(session, "idle");
  await using disk = openLogReader(join(place.stateDirectory, "log.db"));
  await user.prompt(session, "go");

  await disk.hold();
  const framed = cast.agent().received().length;
  writeFileSync(join(cwd, "go"), "");
  await fileThere(cwd, "asked");
  // A refusal comes when agentd has tried, and what the agent asked was tried before it.
  for (let tries = 0; tries < 2; tries += 1) {
    const refused = await user.refusal("agent.session.prompt", { session, prompt: "never", when_busy: "queue" });
    expect(refused.code).toBe("STORE_FAILED");
  }
  expect(readFileSync(join(cwd, "file"), "utf8")).toBe("old\n");
  expect(existsSync(join(cwd, "pid"))).toBe(false);
  expect(cast.agent().received().slice(framed)).toEqual([]);
  await disk.release();

  await turnEnd(user, session);
  expect(readFileSync(join(cwd, "file"), "utf8")).toBe("new\n");
  const entries = await disk.entries(session);
  const [first, ...others] = ofKind(entries, "file").map(({ op, phase }) => `${op} ${phase}`);
  expect(first).toBe("write intended");
  // A read has its turn when the event loop has time for it.
  expect(others.toSorted()).toEqual(["read done", "write done"]);
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  await user.call("agent.session.close", { session });
  await user.wait(session, "ended");
  expect(await leftOf([pid])).toEqual([]);
});
