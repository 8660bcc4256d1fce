// SPDX-License-Identifier: MIT OR Apache-2.0
// 10,000 seeded mutations of valid traffic, of the editor's lines and of what agentd says: each request of the editor is
// answered once, and what the face writes is ACP.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { objectionsToAgentFrame } from "../../agentd/demo-agent/testing/agent-frame-schema.ts";
import { replaceableBroker } from "../../bus-client/testing/clients.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { isRecord } from "../../json/record.ts";
import { openScene } from "../cases/scene.ts";
import { within } from "../harness/deadline.ts";
import { CaseAgentd } from "./case-agentd.ts";
import { cases } from "./case-file.ts";
import { type FaceHere, startFaceHere } from "./face-here.ts";
import { mutateLine, mutateValue, pick, randomOf } from "./mutate.ts";
import { repertoire } from "./repertoire.ts";

const mixProgram = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));

const mutationsPerFace = 100;
const facesPerDirection = 50;

/** What editors write in the cases, as far as it is JSON. Some ask what waits, which a case is about and not this test. */
const editorLines = [
  ...new Set(
    cases.flatMap(({ steps }) => steps.flatMap((step) => ("c2a" in step && isJson(step.c2a) ? [step.c2a] : []))),
  ),
];
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: "first",
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } },
});
const request = (id: string, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const open = request("open", "session/new", { cwd: "/w/app", mcpServers: [] });

class FuzzedFace {
  readonly #clock = new ManualClock();
  readonly agentd: CaseAgentd;
  readonly #face: FaceHere;
  readonly #written: string[] = [];

  private constructor(bus: ReturnType<typeof replaceableBroker>) {
    this.agentd = new CaseAgentd({ url: bus.url });
    this.agentd.acceptsAll = true;
    this.#face = startFaceHere({ clock: this.#clock, url: bus.url, keepsRunning: false });
  }

  static async open(): Promise<FuzzedFace> {
    const fuzzed = new FuzzedFace(replaceableBroker());
    await fuzzed.agentd.citizen.connect();
    fuzzed.write(initialize);
    fuzzed.write(open);
    await fuzzed.settled();
    return fuzzed;
  }

  write(line: string): void {
    this.#written.push(...line.split("\n"));
    this.#face.input.write(`${line}\n`);
  }

  /** Lets everything happen that needs no time to pass. Agents are up at once, and turns end. */
  async settled(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.agentd.citizen.client.call("noded", "noded.list");
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      for (const { state, id, running } of Array.from(this.agentd.sessions.values())) {
        if (state === "starting") this.agentd.append(id, [{ kind: "state", state: "idle" }]);
        if (running !== undefined) this.agentd.session(id).endTurn(running);
      }
    }
  }

  /** Ends the input after whatever waits has had its time. Returns what the face has written. */
  async end(): Promise<string[]> {
    for (let minute = 0; minute < 3; minute += 1) {
      await this.settled();
      this.#clock.advance(60_000);
    }
    await this.settled();
    this.#face.input.end();
    const closed = this.#face.connection.closed;
    await this.settled();
    this.#clock.advance(60_000);
    const failure = await closed;
    if (failure !== undefined) throw failure;
    await this.#face[Symbol.asyncDispose]();
    await this.agentd.citizen.stop();
    return [...this.#face.lines.waiting];
  }

  /** How often each id has to be answered, by its JSON; and the lines that are no requests, which may be answered. */
  asked(): Asked {
    const ids = new Map<string, number>();
    const others: string[] = [];
    for (const line of this.#written) {
      const frame = parsed(line);
      if (!isRequest(frame)) others.push(line);
      else ids.set(JSON.stringify(frame.id), (ids.get(JSON.stringify(frame.id)) ?? 0) + 1);
    }
    return { ids, others };
  }
}

interface Asked {
  readonly ids: ReadonlyMap<string, number>;
  readonly others: readonly string[];
}

/** With an id that is neither a text nor an integer, or is blank, it is a notification. */
function isRequest(frame: unknown): frame is { readonly id: string | number } {
  if (!isRecord(frame) || frame["jsonrpc"] !== "2.0" || typeof frame["method"] !== "string") return false;
  const { id, params = {} } = frame;
  const isUsable = typeof id === "string" ? id.trim() !== "" : Number.isInteger(id);
  return isUsable && (params === null || isRecord(params));
}

function checkAnswers(written: readonly string[], { ids, others }: Asked): void {
  const answers = new Map<string, number>();
  for (const line of written) {
    const frame = parsed(line);
    if (!isRecord(frame)) throw new Error(`the face wrote ${line}`);
    if (!("result" in frame)) expect({ line, is: objectionsToAgentFrame(frame, new Map()) }).toEqual({ line, is: [] });
    const id = JSON.stringify(frame["id"]);
    if (!("method" in frame)) answers.set(id, (answers.get(id) ?? 0) + 1);
  }
  for (const id of new Set([...ids.keys(), ...answers.keys()])) {
    // Of a line that is no JSON, the face may find an id, without its NULs, and more than one request.
    const mentions = others.flatMap((line) => line.replaceAll("\0", "").split(id.replaceAll('"', "")).slice(1));
    const least = ids.get(id) ?? 0;
    const most = least + (id === "null" ? others.length : mentions.length);
    const answered = answers.get(id) ?? 0;
    if (answered >= least && answered <= most) continue;
    throw new Error(`${id} was answered ${answered} times, not ${least} to ${most}: ${mentions.join("\n")}`);
  }
}

const seeds = Array.from({ length: facesPerDirection }, (_, seed) => seed + 1);

test.for(seeds)("an editor's lines, mutated with seed %i, are answered once each", async (seed) => {
  const random = randomOf(seed);
  const fuzzed = await FuzzedFace.open();
  for (let mutation = 0; mutation < mutationsPerFace; mutation += 1) {
    fuzzed.write(mutateLine(random, withId(pick(random, editorLines), `r${mutation}`)));
    if (mutation % 10 === 0) await fuzzed.settled();
  }
  checkAnswers(await fuzzed.end(), fuzzed.asked());
});

/** What an agent sends, in the repertoire. */
const agentUpdates = Object.values(repertoire).flatMap((steps) =>
  steps.flatMap((step) => (typeof step === "object" && "update" in step ? [step.update] : [])),
);

/** The updates that a scripted agent, whose first session is `session-1`, sends in a turn. */
function mutatedTurn(seed: number): string {
  const random = randomOf(1_000 + seed);
  const lines = Array.from({ length: mutationsPerFace }, () => {
    const params = { sessionId: "session-1", update: mutateValue(random, pick(random, agentUpdates)) };
    return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
  });
  return lines.join("");
}

/** An editor that has started the face. Its requests wait for each other. */
function startEditor(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [mixProgram, "agent", "acp", "--agent", "scripted"], { env });
  const lines: string[] = [];
  let onLine = (_line: string): void => {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    onLine(line);
  });
  const exited = once(child, "exit");
  return {
    lines,
    /** Sends a request. Resolves to its answer. */
    async ask(id: string, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
      const answered = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
        onLine = (line) => {
          const frame = parsed(line);
          if (isRecord(frame) && frame["id"] === id) resolve(frame);
        };
      });
      child.stdin.write(`${request(id, method, params)}\n`);
      return await within(60_000, `${method} was not answered`, answered);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await within(10_000, "the face did not end", exited);
    },
  };
}

test("what an agent says, mutated, reaches the editor as ACP or not at all", async () => {
  const rules = seeds.map((seed) => ({
    on: "session/prompt",
    match: `"turn ${seed}."`,
    do: [{ raw: mutatedTurn(seed) }, { reply: { stopReason: "end_turn" } }],
  }));
  await using scene = await openScene({ scripted: { rules } });
  const { environment } = scene.place;
  await using editor = startEditor(environment);
  await editor.ask("first", "initialize", { protocolVersion: 1 });
  const cwd = scene.place.directory();
  const { result } = await editor.ask("open", "session/new", { cwd, mcpServers: [] });
  const { sessionId } = result as { readonly sessionId: string };
  for (const seed of seeds) {
    const params = { sessionId, prompt: [{ type: "text", text: `turn ${seed}.` }] };
    const answer = await editor.ask(`p${seed}`, "session/prompt", params);
    expect(answer).toMatchObject({ result: { stopReason: "end_turn" } });
  }
  const updates = editor.lines.filter((line) => line.includes('"method"'));
  expect(editor.lines.length - updates.length).toBe(seeds.length + 2);
  for (const line of updates) {
    const frame = parsed(line);
    expect({ line, is: isRecord(frame) && objectionsToAgentFrame(frame, new Map()) }).toEqual({ line, is: [] });
  }
  expect(updates.length).toBeGreaterThan(1_000);
});

/** The same line with an id of its own, if it is a request. */
function withId(line: string, id: string): string {
  const frame = parsed(line);
  return isRequest(frame) ? JSON.stringify({ ...(frame as object), id }) : line;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isJson(line: string): boolean {
  return parsed(line) !== undefined;
}
