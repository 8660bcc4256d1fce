// SPDX-License-Identifier: MIT OR Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, serveCitizen } from "../../bus-client/index.ts";
import { Bench } from "../testing/command-line-under-test.ts";
import { lines } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

test("ls --json prints one document with a list, even an empty one", async () => {
  await bench.agentd();
  const ran = await bench.run(["agent", "ls", "--json"]);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({ schema: "mix.sessions.v1", sessions: [] });
});

test("ls lists live sessions, --all ended ones too, -q only ids", async () => {
  const agentd = await bench.agentd();
  agentd.begin("sessionaaaaa");
  agentd.begin("sessionbbbba").append({ kind: "state", state: "closed" });
  expect((await bench.run(["agent", "ls", "-q"])).stdout).toBe("sessionaaaaa\n");
  expect((await bench.run(["agent", "ls", "-q", "--all"])).stdout).toBe("sessionaaaaa\nsessionbbbba\n");
  expect((await bench.run(["agent", "ls", "-aq"])).stdout).toBe("sessionaaaaa\nsessionbbbba\n");
  expect((await bench.run(["agent", "ls", "--state", "closed"])).stdout).toContain("sessionbbbba");
  expect((await bench.run(["agent", "ls", "--state", "sleeping"])).code).toBe(2);
});

test("ls -w prints a line for each session that changes until Ctrl-C", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  const running = bench.start(["agent", "ls", "-w"]);
  await running.shows("starting");
  session.append({ kind: "state", state: "idle" });
  await running.shows("idle");
  session.append({ kind: "state", state: "closed" });
  await running.shows("closed");
  running.interrupt();
  const ran = await running.ended;
  expect(ran.code).toBe(130);
  expect(lines(ran.stdout)).toHaveLength(3);
});

test("ls sends one request, without registering a name on the Bus", async () => {
  const asked: unknown[] = [];
  const agentd = serveCitizen({
    client: { url: () => bench.broker.connectLocal() },
    service: "agent",
    version: "1",
    description: "counts",
    verbs: [
      {
        name: "agent.session.list",
        args: [],
        description: "lists",
        readOnly: true,
        handler: async ({ verb, from }) => {
          const list = await agentd.client.call("noded", "noded.list");
          asked.push([verb, from, (JSON.parse(list.body) as { name: string }[]).map(({ name }) => name)]);
          return done({ sessions: [] });
        },
      },
    ],
  });
  await agentd.connect();
  expect((await bench.run(["agent", "ls"])).code).toBe(0);
  expect(asked).toEqual([["agent.session.list", null, ["agent"]]]);
  await agentd.stop();
});

test("ls on a Bus without agentd starts one, then asks it", async () => {
  // Exit code 75 means that another agentd is just starting; mix waits for that one.
  writeFileSync(join(bench.directory, "no-agentd.mjs"), "process.exit(75);");
  const running = bench.start(["agent", "ls", "-q"], { env: { AGENTD_STATE_DIR: join(bench.directory, "state") } });
  await running.shows("starting agentd");
  (await bench.agentd()).begin("sessionaaaaa");
  expect(await running.ended).toMatchObject({ code: 0, stdout: "sessionaaaaa\n" });
});

test("on a terminal the table fits its width and home is ~; --no-trunc and a pipe get all of it", async () => {
  const agentd = await bench.agentd();
  const cwd = `${bench.directory}/src/a-project-with-a-long-name/packages/core`;
  const title = "Make the parser of the configuration accept durations of several units";
  agentd.begin("sessionaaaaa", { agent: "demo", cwd, name: "parser" }).shown = { title };
  const cut = lines((await bench.run(["agent", "ls"], { tty: true })).stdout);
  expect(Math.max(...cut.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(cut[1]).toMatch(/^sessionaaaaa {2}parser {2}demo {3}starting {2}.*…\S*packages\/core {2}Make the .*…$/);
  expect((await bench.run(["agent", "ls", "--no-trunc"], { tty: true })).stdout).toContain(`${cwd}  ${title}`);
  expect((await bench.run(["agent", "ls"])).stdout).toContain(`${cwd}  ${title}`);
  expect((await bench.run(["agent", "show", "sessionaaaaa"], { tty: true })).stdout).toMatch(
    /directory +~\/src\/a-pro/,
  );
});
