// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd runs on while its files are moved away or replaced, as an upgrade does it.
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { scriptedAgent } from "./scripted-agent/agent-files.ts";
import type { StatusReply } from "../agentd/vocabulary/index.ts";
import { BusUser } from "./harness/bus-user.ts";
import { type DaemonProcess, startDaemonProcess } from "./harness/daemon-process.ts";
import { makePlace, type Place } from "./harness/place.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const installedBuild = readFileSync(join(root, "dist/build-id"), "utf8").trim();
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

/** The built package, in a place from which it can be moved away; `build` in the place of its own id. */
function installation(place: Place, build: string): string {
  const directory = join(place.home, "installed");
  mkdirSync(directory);
  cpSync(join(root, "dist"), join(directory, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(directory, "package.json"));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  writeFileSync(join(directory, "dist/build-id"), `${build}\n`);
  return directory;
}

function startInstalled(place: Place, directory: string): Promise<DaemonProcess> {
  return startDaemonProcess(place, {}, join(directory, "dist/bin/agentd.cjs"));
}

/** The command line of this build. */
async function mix(place: Place, ...words: string[]) {
  const child = spawn(process.execPath, [join(root, "dist/bin/mix.cjs"), ...words], {
    env: place.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code: code as number | null };
}

test("what is loaded when it is needed says that agentd's files are gone, and sessions say what they lack", async () => {
  using agent = scriptedAgent({});
  using place = makePlace({ mine: agent.command }, "bus_tools = true");
  const directory = installation(place, "000000000000");
  await using daemon = await startInstalled(place, directory);
  const user = await BusUser.watching(await daemon.connect());
  expect(await user.call("agent.status", {})).not.toHaveProperty("installed");
  renameSync(directory, `${directory}-before`);

  const verified = await user.refusal("agent.log.verify", {});
  expect(verified.body).toMatchObject({ error_code: "AGENTD_OUTDATED" });
  expect(verified.body["message"]).toContain("stop agentd and start it again");
  const demo = await user.refusal("agent.session.start", { agent: "demo" });
  expect(demo.body).toMatchObject({ error_code: "AGENT_UNAVAILABLE" });
  expect(demo.body["message"]).toContain(join(directory, "dist/agentd/demo-agent/main.js"));
  const session = await user.start({ agent: "mine", cwd: place.directory(), prompt: "go" });
  await user.wait(session, "idle");
  const said = (await user.log(session, ["diagnostic"])).filter(
    (entry) => entry.kind === "diagnostic" && entry.what === "bus-tools-not-seen",
  );
  expect(said).toHaveLength(1);
  expect(said[0]).toMatchObject({ message: expect.stringContaining(join(directory, "dist/bin/mixos-mcp.cjs")) });
  expect(agent.received().find(({ method }) => method === "session/new")).toMatchObject({ params: { mcpServers: [] } });
  expect(await user.call<StatusReply>("agent.status", {})).toMatchObject({ build: "000000000000", installed: null });
});

test("every command says once that an older agentd runs, and what to type; status says what is installed", async () => {
  using place = makePlace();
  const directory = installation(place, "000000000000");
  await using daemon = await startInstalled(place, directory);
  const line =
    `agentd ${version} (build 000000000000) (pid ${daemon.child.pid}) is running, but ${version} (build ${installedBuild}) is installed: ` +
    "`mix agent stop` ends it and its live sessions, and the next `mix agent` command starts the new one\n";
  for (const words of [
    ["agent", "ls", "-q"],
    ["agent", "close", "none"],
    ["call", "agent", "agent.list"],
  ]) {
    expect((await mix(place, ...words)).stderr.split(line)).toHaveLength(2);
  }
  expect((await mix(place, "services", "-q")).stderr).toBe("");
  writeFileSync(join(directory, "dist/build-id"), `${installedBuild}\n`);
  const { stdout, stderr } = await mix(place, "agent", "status");
  expect(stderr).toBe(line);
  expect(stdout).toMatch(new RegExp(`^installed +${version} \\(build ${installedBuild}\\): `, "m"));
});

test("an agentd of the same build is no matter for words", async () => {
  using place = makePlace();
  await using _daemon = await startDaemonProcess(place);
  expect(await mix(place, "agent", "ls", "-q")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await mix(place, "agent", "status")).stdout).not.toContain("installed");
});
