// SPDX-License-Identifier: MIT OR Apache-2.0
// What commands do while the Bus is unreachable.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/command-line-under-test.ts";
import { logId } from "../testing/scripted-session.ts";
import { objects } from "../testing/words.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(() => bench.close());

const gone = "the Bus is gone; waiting for it";

test("log -f survives the loss of its Bus, reports loss and return once each, and fetches what it missed", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  const running = bench.start(["agent", "log", "sessiona", "-f", "-q"]);
  await running.shows("/sessionaaaaa/1\n");
  await bench.loseBus();
  await running.shows(gone);
  const missed = session.append({ kind: "state", state: "idle" });
  await bench.restartBus();
  await running.shows(`/sessionaaaaa/${missed}\n`);
  const next = session.append({ kind: "state", state: "closed" });
  await running.shows(`/sessionaaaaa/${next}\n`);
  running.interrupt();
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(stdout.trim().split("\n")).toHaveLength(next);
  expect(stderr).toBe(`${gone}\nagentd is back\n`);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "log -f that ends by %s without its Bus says how to continue after the last entry",
  async (signal) => {
    const agentd = await bench.agentd();
    const { id } = agentd.begin("sessionaaaaa");
    const running = bench.start(["agent", "log", id, "-f"]);
    await running.shows("starting");
    await bench.loseBus();
    await running.shows(gone);
    running.interrupt(signal);
    const { stderr } = await running.ended;
    expect(stderr).toBe(`${gone}\ncontinue from here: mix agent log ${id} -f --since ${logId}/${id}/1\n`);
  },
);

test("attach continues after a while without its Bus, and says where to continue when it is detached", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  session.append({ kind: "diagnostic", what: "note", message: "seen first", count: 1 });
  const running = bench.start(["agent", "attach", "sessionaaaaa"]);
  await running.shows("seen first");
  await bench.loseBus();
  await running.shows(gone);
  await bench.restartBus();
  await running.shows("agentd is back");
  const seq = session.append({ kind: "diagnostic", what: "note", message: "seen again", count: 1 });
  await running.shows("seen again");
  running.interrupt("SIGTERM");
  const { stderr } = await running.ended;
  expect(stderr).toContain(`continue from here: mix agent log sessionaaaaa -f --since ${logId}/sessionaaaaa/${seq}\n`);
});

test("wait and ls -w survive the loss of their Bus too", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  const waiting = bench.start(["agent", "wait", "sessionaaaaa", "--for", "idle"]);
  const watching = bench.start(["agent", "ls", "-w", "--json"]);
  await watching.shows('"starting"');
  await bench.loseBus();
  await Promise.all([waiting.shows(gone), watching.shows(gone)]);
  session.append({ kind: "state", state: "idle" });
  await bench.restartBus();
  expect(await waiting.ended).toMatchObject({ code: 0, stdout: "sessionaaaaa idle\n" });
  await watching.shows('"idle"');
  watching.interrupt();
  expect(objects((await watching.ended).stdout).map(({ state }) => state)).toEqual(["starting", "idle"]);
});

test("listen reports that its Bus is gone and that it is back, and continues", async () => {
  const agentd = await bench.agentd();
  const session = agentd.begin("sessionaaaaa");
  const running = bench.start(["listen", "agent.session.updated", "--json"]);
  // It does not report when it starts to listen, so publish until it has heard one.
  const published = async (text: string): Promise<void> => {
    const shown = running.shows(text).then(() => true);
    const tick = (): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), 50));
    do session.append({ kind: "diagnostic", what: "note", message: text, count: 1 });
    while (!(await Promise.race([shown, tick()])));
  };
  await published("before");
  await bench.loseBus();
  await running.shows(gone);
  await bench.restartBus();
  await running.shows("the Bus is back; deliveries published meanwhile were missed");
  await published("after");
  running.interrupt();
  expect((await running.ended).code).toBe(130);
});

/** Starts a process and records it in the state directory as agentd. */
async function holding(stateDirectory: string): Promise<ChildProcess> {
  const program = `process.stdout.write("up"); setInterval(() => {}, 1000)`;
  const holder = spawn(process.execPath, ["-e", program, "agentd"], {
    env: { MIXOS_NODED_URL: bench.url },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(holder.stdout, "data");
  mkdirSync(stateDirectory);
  writeFileSync(join(stateDirectory, "agentd.pid"), JSON.stringify({ pid: holder.pid, version: "0.0.0" }));
  return holder;
}

test("a running agentd that is between two attempts to connect is waited for, and no second one is started", async () => {
  await bench.loseBus();
  const state = join(bench.directory, "state");
  const holder = await holding(state);
  try {
    const running = bench.start(["agent", "ls", "--all"], { env: { AGENTD_STATE_DIR: state } });
    const waiting = `agentd (pid ${holder.pid}) is running but not yet on the Bus at ${bench.url}: waiting\n`;
    await running.shows(waiting);
    await bench.restartBus();
    await bench.agentd();
    expect(await running.ended).toEqual({ code: 0, stdout: "", stderr: `${waiting}no sessions\n` });
  } finally {
    holder.kill("SIGKILL");
  }
});

test("if no Bus comes back for a running agentd, the error says what to type", async () => {
  await bench.loseBus();
  const state = join(bench.directory, "state");
  const holder = await holding(state);
  try {
    const ran = await bench.run(["agent", "ls"], { env: { AGENTD_STATE_DIR: state }, speed: 30 });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain(
      `UNREACHABLE: agentd (pid ${holder.pid}) is running but not on the Bus at ${bench.url}`,
    );
    expect(ran.stderr).toContain("`mix bus`");
    expect(ran.stderr).toContain("`mix agent stop`");
  } finally {
    holder.kill("SIGKILL");
  }
});
