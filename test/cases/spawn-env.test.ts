// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent's process finds around it, and starts that take long or cannot work.
// @module-tag slow
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { AgentCommand } from "../../agentd/demo-agent/testing/demo-agent-command.ts";
import type { ProbeReply } from "../../agentd/vocabulary/index.ts";
import type { Finding } from "../../mix/doctor/findings.ts";
import { makeCast, openScene, startWatched, stateOf } from "./scene.ts";

/** Writes its environment down before it becomes the agent. */
function tellsEnvironment(command: AgentCommand): readonly string[] {
  return ["/bin/sh", "-c", 'env -0 > "$HOME/environment"; exec "$@"', "sh", ...command];
}

async function environmentOfAgent(around: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  using cast = makeCast({ scripted: {} }, { wrap: tellsEnvironment });
  const { daemon, user } = await startWatched(cast.place, around);
  await using _ = daemon;
  const session = await user.start({ agent: "scripted", cwd: cast.place.directory() });
  await user.wait(session, "idle");
  const text = readFileSync(join(cast.place.home, "environment"), "utf8");
  return new Map(
    text
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

test("an agent does not learn that agentd was started from within another agent, set or empty (case 61)", async () => {
  const environment = await environmentOfAgent({
    CLAUDECODE: "1",
    CLAUDE_CODE_ENTRYPOINT: "",
    CODEX_SANDBOX: "seatbelt",
    OPENCODE: "1",
    KEPT_FOR_THE_AGENT: "yes",
  });
  for (const name of ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "OPENCODE"])
    expect(environment.has(name)).toBe(false);
  expect(environment.get("KEPT_FOR_THE_AGENT")).toBe("yes");
  expect(environment.get("GIT_TERMINAL_PROMPT")).toBe("0");
  expect(environment.get("AGENTD_SESSION")).toMatch(/^[^/]+\/[a-z2-7]{12}$/);
});

test("an agent's temporary files are in a directory of its own, which is gone with it, also after a crash", async () => {
  const leaves = (command: AgentCommand): readonly string[] => [
    "/bin/sh",
    "-c",
    'echo left > "$TMPDIR/left"; echo "$TMPDIR" > "$HOME/where"; exec "$@"',
    "sh",
    ...command,
  ];
  using cast = makeCast({ scripted: {} }, { wrap: leaves });
  const where = (): string => readFileSync(join(cast.place.home, "where"), "utf8").trim();
  const cwd = cast.place.directory();
  const first = await startWatched(cast.place);
  const closed = await first.user.start({ agent: "scripted", cwd });
  await first.user.wait(closed, "idle");
  expect(where()).toBe(join(cast.place.stateDirectory, "tmp", `${closed}-1`));
  expect(existsSync(join(where(), "left"))).toBe(true);
  await first.user.call("agent.session.close", { session: closed });
  await first.user.wait(closed, "ended");
  expect(existsSync(where())).toBe(false);
  await first.user.call("agent.probe", { agent: "scripted" });
  expect(where()).not.toContain(closed);
  expect(existsSync(where())).toBe(false);
  await first.user.wait(await first.user.start({ agent: "scripted", cwd }), "idle");
  expect(existsSync(where())).toBe(true);
  first.daemon.child.kill("SIGKILL");
  await first.daemon.exited;
  const second = await startWatched(cast.place);
  await using _ = second.daemon;
  await first.daemon[Symbol.asyncDispose]();
  expect(existsSync(where())).toBe(false);
});

test("a variable that is unset for an agent is absent from its environment", async () => {
  const command = JSON.stringify(["/bin/sh", "-c", 'env > "$HOME/environment"; exit 1']);
  const settings = `[agents.bare]\ncommand = ${command}\nunset = ["HTTP_PROXY", "TERM"]`;
  using cast = makeCast({}, { settings });
  const { daemon, user } = await startWatched(cast.place, { HTTP_PROXY: "http://proxy", KEPT_FOR_THE_AGENT: "yes" });
  await using _ = daemon;
  await stateOf(user, await user.start({ agent: "bare", cwd: cast.place.directory() }), "failed");
  const lines = readFileSync(join(cast.place.home, "environment"), "utf8").split("\n");
  expect(lines).toContain("KEPT_FOR_THE_AGENT=yes");
  expect(lines.filter((line) => /^(HTTP_PROXY|TERM)=/u.test(line))).toEqual([]);
});

test("an agent does not learn that agentd was started by a package script (case 62)", async () => {
  const environment = await environmentOfAgent({
    INIT_CWD: "/elsewhere",
    npm_config_prefix: "/elsewhere",
    npm_lifecycle_event: "start",
    npm_package_json: "/elsewhere/package.json",
    NODE_OPTIONS: "--no-warnings",
  });
  const names = [...environment.keys()];
  expect(names.filter((name) => name.startsWith("npm_") || name === "INIT_CWD" || name === "NODE_OPTIONS")).toEqual([]);
});

test("a script whose node is not on agentd's PATH is refused with node and that PATH in the message (case 64)", async () => {
  using cast = makeCast({});
  const { place } = cast;
  const bin = join(place.home, "bin");
  mkdirSync(bin);
  const script = join(bin, "agent-script");
  writeFileSync(script, "#!/usr/bin/env node\n");
  chmodSync(script, 0o755);
  place.configure(`[agents.script]\ncommand = [${JSON.stringify(script)}]\n`);
  const { daemon, user } = await startWatched(place, { PATH: bin });
  await using _ = daemon;
  const refused = await user.refusal("agent.session.start", { agent: "script", cwd: place.directory() });
  expect(refused.code).toBe("AGENT_UNAVAILABLE");
  expect(refused.body["message"]).toContain(`needs node, which was not found on agentd's PATH (${bin})`);
  const { agents } = await user.call<{ agents: { agent: string; installed: boolean; problem?: string }[] }>(
    "agent.list",
    {},
  );
  expect(agents.find(({ agent }) => agent === "script")).toMatchObject({ installed: false });
  // In a list it would stand in every row.
  expect(agents.filter(({ problem }) => problem?.includes(bin) && !problem.includes(script))).toEqual([]);
  const mix = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));
  const env = { ...place.environment, PATH: bin };
  const { stdout } = spawnSync(process.execPath, [mix, "agent", "doctor", "--json"], { env, encoding: "utf8" });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  expect(findings.find(({ subject }) => subject === "agent script")).toMatchObject({
    state: "fault",
    words: expect.stringContaining("needs node") as string,
  });
});

test("a launcher that is there and cannot run is found out by a probe, which starts it (case 65)", async () => {
  using cast = makeCast({});
  const { place } = cast;
  const bin = join(place.home, "bin");
  mkdirSync(bin);
  const launcher = join(bin, "launcher");
  writeFileSync(launcher, '#!/bin/sh\nexec node "$0.js" "$@"\n', { mode: 0o755 });
  place.configure(`[agents.launched]\ncommand = [${JSON.stringify(launcher)}]\n`);
  const { daemon, user } = await startWatched(place, { PATH: bin });
  await using _ = daemon;
  const { agents } = await user.call<{ agents: { agent: string; installed: boolean }[] }>("agent.list", {});
  // All that can be told by looking.
  expect(agents.find(({ agent }) => agent === "launched")).toMatchObject({ installed: true });
  const { cells } = await user.call<ProbeReply>("agent.probe", { agent: "launched" });
  expect(cells.find(({ step }) => step === "initialize")).toMatchObject({
    result: "failed",
    text: expect.stringMatching(/exit code 127[^]*node: not found/) as string,
  });
});

test("a slow first start has a limit of its own, and progress on stderr does it no harm (cases 67, 68)", async () => {
  await using scene = await openScene({}, { limits: { initializeTimeoutMs: 100 } });
  using slow = makeCast({
    slow: {
      rules: [
        {
          on: "initialize",
          do: [{ repeat: 8, do: [{ stderr: "downloading...\n" }, { waitMs: 100 }] }, "default"],
        },
      ],
    },
  });
  const command = JSON.stringify(slow.agent("slow").command);
  scene.place.configure(
    [
      `[agents.patient]`,
      `command = ${command}`,
      `start_timeout = "30s"`,
      `[agents.hasty]`,
      `command = ${command}`,
    ].join("\n"),
  );
  const { user } = scene;
  await expect.poll(async () => JSON.stringify(await user.call("agent.list", {}))).toContain('"patient"');
  const cwd = scene.place.directory();
  const hasty = await user.start({ agent: "hasty", cwd });
  const failed = await stateOf(user, hasty, "failed");
  expect(failed.error?.message).toContain("did not answer initialize within 100 ms");
  const patient = await user.start({ agent: "patient", cwd });
  await user.wait(patient, "idle");
  // Which version that was is on record.
  expect(await user.get(patient)).toMatchObject({
    agent_info: { name: "scripted", version: "1.0.0" },
    protocol_version: 1,
  });
});

test("an agent that sits there and waits for a person fails with its command and its last words (case 71)", async () => {
  await using scene = await openScene(
    {},
    {
      commands: { interactive: ["/bin/sh", "-c", "echo 'Type a message to begin' >&2; exec sleep 1000", "--not-acp"] },
      limits: { initializeTimeoutMs: 500 },
    },
  );
  const { user, place } = scene;
  const session = await user.start({ agent: "interactive", cwd: place.directory() });
  const failed = await stateOf(user, session, "failed");
  expect(failed.error).toMatchObject({ error_code: "AGENT_PROTOCOL", stderr_tail: "Type a message to begin\n" });
  expect(failed.error?.message).toContain("--not-acp");
  expect(failed.error?.message).toContain("within 500 ms");
  expect(failed.error?.message).toContain("Type a message to begin");
});
