// SPDX-License-Identifier: MIT OR Apache-2.0
// Numbers that a double does not hold: what an agent wrote is what people see, and what the log, the topic and the export have.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, RawJson, stringifyJson } from "../../json/raw-json.ts";
import { valueText } from "../../json/testing/json-texts.ts";
import type { Step } from "../scripted-agent/scenario.ts";
import { callNotify } from "../harness/notify-user.ts";
import { startNotifydProcess } from "../harness/notifyd-process.ts";
import { ofKind, openScene, question, type Scene, turnEnd } from "./scene.ts";

const id = "1193820475610234881";
const other = "1193820475610234882";

/** A line of the agent; its session is `s`. */
const says = (method: string, params: string, head = ""): Step => ({
  raw: `{"jsonrpc":"2.0",${head}"method":"${method}","params":{"sessionId":"s",${params}}}\n`,
});
const endTurn: Step = { reply: { stopReason: "end_turn" } };

/** An agent that says this when it is prompted, and with the prompt's text "wait" nothing. */
function agent(...steps: Step[]) {
  const opens = { on: "session/new", do: [{ reply: { sessionId: "s" } } satisfies Step] };
  return { scripted: { rules: [opens, { on: "session/prompt", do: steps }] } };
}

async function mix({ place }: Scene, ...words: string[]): Promise<string> {
  const program = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], {
    env: place.environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

function loggedTexts({ place }: Scene): string[] {
  const db = new Database(join(place.stateDirectory, "log.db"), { readonly: true });
  try {
    return db.prepare<[], string>("SELECT body FROM entry ORDER BY id").pluck().all();
  } finally {
    db.close();
  }
}

/** What the topic brings, as it comes. */
async function topicTexts({ daemon }: Scene): Promise<() => string> {
  const client = await daemon.connect();
  const bodies: string[] = [];
  await client.subscribe("agent.session.updated", ({ body }) => void bodies.push(body));
  return () => bodies.join("\n");
}

const toolCall = `"toolCallId":"t","title":"Post","kind":"other","rawInput":{"channel_id":${id},"weight":1e400,"zero":-0,"rate":1.10}`;
const options =
  '"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]';
const asks = says("session/request_permission", `"toolCall":{${toolCall}},${options}`, '"id":7,');

test("a question's numbers are those that the agent wrote, wherever people see it", async () => {
  await using scene = await openScene(agent(asks));
  const { user } = scene;
  await using _notifyd = await startNotifydProcess(scene.place.environment);
  const topic = await topicTexts(scene);
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { request } = await question(user, session);
  const input = `{"channel_id":${id},"weight":1e400,"zero":-0,"rate":1.10}`;
  const listed = await user.client.call("agent", "agent.permission.list", {});
  const got = await user.client.call("agent", "agent.session.get", { session });
  for (const [where, text] of [
    ["the list", listed.body],
    ["the session", got.body],
    ["the topic", topic()],
    ["the log", loggedTexts(scene).join("\n")],
    ["mix agent log --json", await mix(scene, "agent", "log", session, "--json")],
    ["mix agent export", await mix(scene, "agent", "export", session)],
  ]) {
    expect([where, text]).toEqual([where, expect.stringContaining(`"raw_input":${input}`)]);
  }
  for (const words of [
    ["show", request],
    ["show", request, "--json"],
  ]) {
    const shown = await mix(scene, "agent", "permit", ...words);
    for (const number of [id, "1e400", "-0", "1.10"]) expect(shown).toMatch(new RegExp(`: ${number}\\b`));
  }
  const bodies = async () => (await callNotify(user.client, "list", {})).asks.map(({ body }) => body);
  await expect.poll(bodies, { timeout: 20_000 }).toEqual([expect.stringContaining(input)]);
});

test("whatever JSON an agent writes, each of its numbers is in the log, on the topic and in what mix writes, as it was written", async () => {
  const values = fc.sample(valueText, { numRuns: 300, seed: 7 }).map((tokens) => tokens.join(" "));
  const contentOf = (value: string, index: number): string =>
    `[{"type":"content","content":{"type":"text","text":"${"x".repeat(index * 10)}"},"v":${value}},{"type":"other","v":${value}}]`;
  const updates = values.flatMap((value, index) => [
    says(
      "session/update",
      `"update":{"sessionUpdate":"tool_call","toolCallId":"t${index}","title":"x","rawInput":{"v":${value}},"rawOutput":[${value}],` +
        `"content":${contentOf(value, index)},"locations":[{"path":"/a","line":1.0,"v":${value}}],"_meta":{"v":${value}}}`,
    ),
    says("session/update", `"update":{"sessionUpdate":"new_one","v":${value}}`),
    says("session/update", `"update":{"sessionUpdate":"plan","entries":[],"_meta":{"v":${value}}}`),
  ]);
  await using scene = await openScene(agent(...updates, endTurn));
  const topic = await topicTexts(scene);
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  const compact = values.map((value) => stringifyJson(parseJson(value)));
  const logged = loggedTexts(scene);
  const lines = (await mix(scene, "agent", "log", session, "--json")).split("\n");
  const published = topic();
  const texts = logged.filter(
    (text) => /"kind":"(?:tool_call|extension|plan)"/.test(text) && !text.includes("closed_by"),
  );
  for (const [index, value] of compact.entries()) {
    const [call = "", extension = "", plan = ""] = texts.slice(index * 3, index * 3 + 3);
    const written = values[index]!;
    expect(call).toContain(`"raw_input":{"v":${written}}`);
    expect(call).toContain(`"raw_output":[${written}]`);
    expect(call).toContain(`"content":${contentOf(written, index)}`);
    expect(call).toContain(`"locations":[{"path":"/a","line":1.0,"v":${value}}]`);
    expect(call).toContain(`"_meta":{"v":${value}}`);
    expect(extension).toContain(`"v":${value}`);
    expect(plan).toContain(`"v":${value}`);
  }
  expect(texts).toHaveLength(values.length * 3);
  // The log's JSON is what mix writes, but for white space, and what the topic carries.
  expect(lines.filter((line) => line !== "")).toEqual(
    logged.filter((text) => text.includes(`"session":"${session}"`)).map((text) => stringifyJson(parseJson(text))),
  );
  for (const text of texts) expect(published.includes(text)).toBe(true);
});

test("what a person answers, and a prompt's blocks, reach the agent as they were written", async () => {
  const schema = `{"type":"object","properties":{"id":{"type":"number","minimum":-1e400,"default":${id}},"rate":{"type":"number"}}}`;
  const elicits = says(
    "elicitation/create",
    `"mode":"form","message":"Which?","requestedSchema":${schema}`,
    '"id":1193820475610234881,',
  );
  await using scene = await openScene(agent(elicits));
  const { user } = scene;
  const session = await scene.idle();
  const block = `{"type":"text","text":"go","_meta":{"id":${id}}}`;
  await user.client.call("agent", "agent.session.prompt", undefined, {
    body: `{"session":"${session}","prompt":[${block}]}`,
  });
  await user.entry(session, (entry) => entry.kind === "elicitation");
  expect(loggedTexts(scene).join("\n")).toContain(`"schema":${schema}`);
  expect(await mix(scene, "agent", "answer", `${session}-1`, "--show")).toContain(`default ${id}`);
  await mix(scene, "agent", "answer", `${session}-1`, "rate=1.10");
  await user.entry(session, (entry) => entry.kind === "elicitation" && entry.phase === "sent");
  const received = readFileSync(join(scene.agent().directory, "record.ndjson"), "utf8");
  expect(received).toContain(`"prompt":[${block}]`);
  expect(received).toContain(`"id":${id},"result":{"action":"accept","content":{"id":${id},"rate":1.10}}`);
  expect(loggedTexts(scene).join("\n")).toContain(`"content":{"id":${id},"rate":1.10}`);
});

test("a command id is for one prompt, to the last digit of it", async () => {
  await using scene = await openScene(agent(endTurn));
  const { user } = scene;
  const session = await scene.idle();
  const prompt = async (number: string): Promise<string> => {
    const body = `{"command_id":"c","session":"${session}","prompt":[{"type":"text","text":"go","_meta":{"id":${number}}}]}`;
    return (await user.client.call("agent", "agent.session.prompt", undefined, { body })).body;
  };
  const first = await prompt(id);
  expect(first).toContain('"turn":1');
  expect(await prompt(`${id}.0`)).toBe(first);
  expect(await prompt(other)).toContain("COMMAND_CONFLICT");
});

test("a repeated member name is reported, and people see the last value", async () => {
  const twice = `"toolCallId":"t","title":"x","rawInput":{"path":"/etc","path":"/tmp"}`;
  await using scene = await openScene(
    agent(
      says("session/update", `"update":{"sessionUpdate":"tool_call",${twice}}`),
      says("session/request_permission", `"toolCall":{${twice}},${options}`, '"id":7,'),
    ),
  );
  const { user } = scene;
  const session = await scene.idle();
  await user.prompt(session, "go");
  const { tool_call: asked } = await question(user, session);
  expect(asked?.raw_input).toEqual({ path: "/tmp" });
  // One of both, or one of each: they are counted by what one read of the pipe brings.
  const diagnostics = ofKind(await user.log(session), "diagnostic");
  expect(new Set(diagnostics.map(({ what }) => what))).toEqual(new Set(["repeated-member"]));
  expect(diagnostics[0]).toMatchObject({
    message: expect.stringContaining("the last one counts"),
    sample: expect.stringContaining("/etc"),
  });
});

test("a number in the place of an object is malformed, as any other value is", async () => {
  await using scene = await openScene(
    agent(
      { raw: '{"jsonrpc":"2.0","method":"session/update","params":1e400}\n' },
      says("session/update", '"update":1e400'),
      says("session/update", '"update":{"sessionUpdate":"agent_message_chunk","content":1e400}'),
      says(
        "session/update",
        '"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":1e400}',
      ),
      { reply: { stopReason: "end_turn" } },
    ),
  );
  const session = await scene.idle();
  await scene.user.prompt(session, "go");
  await turnEnd(scene.user, session);
  const kinds = (await scene.user.log(session)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "extension")).toHaveLength(3);
  expect(loggedTexts(scene).filter((text) => text.includes("1e400") && text.includes('"kind":"message"'))).toEqual([]);
  expect(new RawJson("1e400").valueOf()).toBe(Infinity);
});
