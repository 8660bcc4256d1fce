// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ProbeReply } from "../../agentd/vocabulary/probe.ts";
import { Bench } from "../testing/command-line-under-test.ts";

let bench: Bench;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "mix-probe-"));
  bench = await Bench.create();
});
afterEach(async () => {
  await bench.close();
  rmSync(directory, { recursive: true, force: true });
});

const probed: ProbeReply = {
  agent: "demo",
  depth: "initialize",
  probed_at: "2026-12-01T12:00:00.000Z",
  agent_info: { name: "demo|agent", version: "1.2.3" },
  protocol_version: 1,
  capabilities: { load: true, list: false },
  auth_methods: [],
  cells: [
    { step: "initialize", result: "ok", ms: 120 },
    { step: "memory", result: "ok", bytes: 52_428_800, processes: 1 },
    { step: "stop", result: "ok", ms: 90, text: "exit code 0" },
  ],
};

async function answering(reply: ProbeReply) {
  return await bench.agentd({ replies: { "agent.probe": { rc: 0, body: JSON.stringify(reply) } } });
}

test("probe asks for initialize alone, and shows one line for each thing that was seen", async () => {
  const agentd = await answering(probed);
  const ran = await bench.run(["agent", "agents", "probe", "demo", "--env", "KEY", "--id", "c"]);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain("✔ capabilities");
  expect(ran.stdout).toMatch(/memory after initialize +50\.0 MiB, 1 process\n/u);
  expect(ran.stdout).not.toContain("list");
  expect(agentd.asked).toEqual([
    ["agent.probe", { agent: "demo", depth: "initialize", env: ["KEY"], command_id: "c" }],
  ]);
  const json = await bench.run(["agent", "agents", "probe", "demo", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ schema: "mix.probe.v1", agent: "demo", cells: probed.cells });
});

test("a full probe says what it costs, and runs without a terminal only with --yes", async () => {
  const agentd = await answering({ ...probed, depth: "full" });
  const refused = await bench.run(["agent", "agents", "probe", "demo", "--full"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("three prompts") });
  expect(agentd.asked).toEqual([]);
  expect((await bench.run(["agent", "agents", "probe", "demo", "--full", "--yes"])).code).toBe(0);
  expect(agentd.asked).toMatchObject([["agent.probe", { depth: "full" }]]);
});

test("a cell that failed makes the exit 1", async () => {
  await answering({
    ...probed,
    cells: [{ step: "initialize", result: "failed", text: "AGENT_EXITED: \u001b[31mgone" }],
  });
  const ran = await bench.run(["agent", "agents", "probe", "demo"]);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain("AGENT_EXITED");
  expect(ran.stdout).not.toContain("\u001b");
});

test("--write replaces the agent's table between its markers, and adds it where there is none", async () => {
  await answering(probed);
  const file = join(directory, "agents.md");
  writeFileSync(file, "# Agents\n\n<!-- probe other -->\nkept\n<!-- /probe other -->\n");
  const write = ["agent", "agents", "probe", "demo", "-q", "--write", file];
  expect((await bench.run(write)).code).toBe(0);
  const first = readFileSync(file, "utf8");
  expect(first).toContain("<!-- probe other -->\nkept\n");
  expect(first).toContain("**demo**: demo\\|agent 1.2.3, initialize alone, 2026-12-01");
  writeFileSync(file, first.replace("120 ms", "999 ms"));
  expect((await bench.run(write)).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(first);
  expect((await bench.run([...write.slice(0, -1), join(directory, "none.md")])).code).toBe(2);
});

test("a document keeps its mode, its place behind a link and its encoding, or is left as it is", async () => {
  await answering(probed);
  const [document, link] = [join(directory, "agents.md"), join(directory, "link.md")];
  writeFileSync(document, "# Agents\n");
  chmodSync(document, 0o664);
  symlinkSync(document, link);
  const probe = ["agent", "agents", "probe", "demo", "--write"];
  expect((await bench.run([...probe, link])).code).toBe(0);
  expect(readFileSync(document, "utf8")).toContain("# Agents\n\n<!--");
  expect(statSync(document).mode & 0o777).toBe(0o664);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  const latin = Buffer.from("# B\u00fccher\n", "latin1");
  writeFileSync(document, latin);
  expect(await bench.run([...probe, document])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is not UTF-8 text") as string,
  });
  expect(readFileSync(document)).toEqual(latin);
  mkdirSync(`${document}.new-${process.pid}`);
  writeFileSync(document, "# Agents\n");
  expect(await bench.run([...probe, document])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cannot be written") as string,
  });
  expect(readFileSync(document, "utf8")).toBe("# Agents\n");
});
