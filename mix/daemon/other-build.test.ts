// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, serveCitizen } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

/** Returns the stderr of `mix agent ls` of 0.0.0, build `new`, while a process runs that the record names. */
async function wordsBeside(record: object, name = "agentd"): Promise<{ pid: number; stderr: string }> {
  await bench.agentd();
  const state = join(bench.directory, "state");
  mkdirSync(state);
  const program = `process.stdout.write("up"); setInterval(() => {}, 1000)`;
  const holder = spawn(process.execPath, ["-e", program, name], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    await once(holder.stdout, "data");
    writeFileSync(join(state, "agentd.pid"), JSON.stringify({ pid: holder.pid, ...record }));
    const { stderr } = await bench.run(["agent", "ls", "-q"], { env: { AGENTD_STATE_DIR: state }, build: "new" });
    return { pid: holder.pid!, stderr };
  } finally {
    holder.kill("SIGKILL");
  }
}

const stop = "`mix agent stop` ends it and its live sessions, and the next `mix agent` command starts the new one\n";

test("an agentd of another build causes a warning with both builds and what to type", async () => {
  const { pid, stderr } = await wordsBeside({ version: "0.0.0", build: "old" });
  expect(stderr).toBe(`agentd 0.0.0 (build old) (pid ${pid}) is running, but 0.0.0 (build new) is installed: ${stop}`);
});

test("an agentd that does not record its version counts as older", async () => {
  const { pid, stderr } = await wordsBeside({});
  expect(stderr).toBe(`an older agentd (pid ${pid}) is running, but 0.0.0 (build new) is installed: ${stop}`);
});

test("an agentd that runs from source is compared by its version only", async () => {
  expect((await wordsBeside({ version: "0.0.0" })).stderr).toBe("");
});

test("the record of a dead agentd, whose pid another program has by now, causes no warning", async () => {
  expect((await wordsBeside({ version: "0.0.0", build: "old" }, "editor")).stderr).toBe("");
});

test.each([
  ["old", "notifyd 0.0.0 (build old) (pid 7) is running, but 0.0.0 (build new) is installed: "],
  ["new", ""],
])("mix notify beside a notifyd of build %s", async (build, words) => {
  const notifyd = serveCitizen({
    client: {
      url: () => bench.broker.connectLocal(),
      provenance: { binary: "notifyd", version: "0.0.0", pid: 7, meta: { build } },
    },
    service: "notify",
    version: "0.0.0",
    description: "asks",
    verbs: [{ name: "notify.list", args: [], description: "lists", readOnly: true, handler: () => done({ asks: [] }) }],
  });
  await notifyd.connect();
  try {
    const { stderr } = await bench.run(["notify", "ls", "-q"], { build: "new" });
    if (words === "") expect(stderr).toBe("");
    else expect(stderr).toContain(words);
  } finally {
    await notifyd.stop();
  }
});
