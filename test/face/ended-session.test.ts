// SPDX-License-Identifier: MIT OR Apache-2.0
// Prompts to sessions that have ended: closed by agentd while the face was cut off from the Bus, as when a laptop was asleep,
// or with the agent itself.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { startFace } from "../../acp-face/face-start.ts";
import { requestsOn } from "../../agent-client/requests/ask.ts";
import { BusClient, embeddedSocketPath, systemClock, unixUrl } from "../../bus-client/index.ts";
import type { Entry } from "../../agentd/vocabulary/index.ts";
import type { Place } from "../harness/place.ts";
import type { Scenario } from "../scripted-agent/scenario.ts";
import { ofKind, openScene, stateOf } from "../cases/scene.ts";

const resumable: Scenario = {
  initialize: { agentCapabilities: { sessionCapabilities: { resume: {} } } },
  rules: [
    { on: "session/resume", do: [{ reply: {} }] },
    { on: "session/prompt", do: [{ reply: { stopReason: "end_turn" } }] },
  ],
};

test("the next prompt to a session that was closed because the face was away resumes it, with a lease", async () => {
  await using scene = await openScene({ scripted: resumable }, { limits: { leaseGraceMs: 50, leftSessionMs: 50 } });
  await using line = await openLine(scene.place);
  await using face = openFace(line.url);
  await face.send("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await face.send("session/new", { cwd: scene.place.directory(), mcpServers: [] });
  const session = String(sessionId);
  const prompt = { sessionId, prompt: [{ type: "text", text: "hello" }] };
  expect(await face.send("session/prompt", prompt)).toMatchObject({ stopReason: "end_turn" });
  line.cut();
  const { seq } = await stateOf(scene.user, session, "closed");
  line.mend();
  expect(await face.send("session/prompt", prompt)).toMatchObject({ stopReason: "end_turn" });
  const resumed = ofKind(await scene.user.log(session), "command").filter(({ verb }) => verb.endsWith("resume"));
  expect(resumed).toMatchObject([{ by: "acp-asleep" }]);
  // It has a lease again, whose end closes the session again.
  await face.end();
  const isClosedAgain = (entry: Entry): boolean =>
    entry.kind === "state" && entry.state === "closed" && entry.seq > seq && entry.reason === "left";
  expect(await scene.user.entry(session, isClosedAgain)).toBeDefined();
});

test("an agent that exits in a turn ends the prompt with what happened, and the next prompt resumes the session", async () => {
  const dies = { on: "session/prompt", match: '"die"', do: [{ text: "almost" }, { exit: 1 }] };
  const rules = [dies, ...(resumable.rules ?? [])];
  await using scene = await openScene({ scripted: { ...resumable, rules } });
  await using line = await openLine(scene.place);
  await using face = openFace(line.url);
  await face.send("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await face.send("session/new", { cwd: scene.place.directory(), mcpServers: [] });
  const prompt = (text: string) => face.send("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  expect(await prompt("die")).toEqual({
    stopReason: "end_turn",
    _meta: { agentd: { turn_failure: { terminal_status: "provider_error", error_kind: "agent_exited" } } },
  });
  expect(await prompt("hello")).toEqual({ stopReason: "end_turn" });
  const states = ofKind(await scene.user.log(String(sessionId)), "state").map(({ state }) => state);
  expect(states).toContain("lost");
  expect(states.at(-1)).toBe("idle");
});

/** A way to the Bus that the test cuts. */
async function openLine({ environment, home }: Place) {
  const bus = embeddedSocketPath({ env: environment, uid: process.getuid?.() ?? -1 });
  const path = join(home, "line");
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(bus);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.pipe(other);
      end.on("error", () => {});
      end.on("close", () => (other.destroy(), ends.delete(end)));
    }
  });
  server.listen(path);
  await once(server, "listening");
  const cut = (): void => {
    isCut = true;
    for (const end of ends) end.destroy();
  };
  return {
    url: unixUrl(path),
    cut,
    mend: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

function openFace(url: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const waiting = new Map<unknown, (frame: Record<string, unknown>) => void>();
  createInterface({ input: output }).on("line", (text) => {
    const frame = JSON.parse(text) as Record<string, unknown>;
    waiting.get(frame["id"])?.(frame);
  });
  const clients: BusClient[] = [];
  const connected = async (name?: string): Promise<BusClient> => {
    const client = new BusClient({ url, retryMsMax: 100, ...(name !== undefined && { name }) });
    clients.push(client);
    await client.connect();
    return client;
  };
  let commands = 0;
  const connection = startFace({
    input,
    output,
    clock: systemClock,
    keepsRunning: false,
    agent: "scripted",
    version: "0.0.0-test",
    newCommandId: () => `c${(commands += 1)}`,
    diagnose: () => {},
    connect: async () => {
      const client = await connected("acp-asleep");
      let second: Promise<BusClient> | undefined;
      return {
        client,
        mayComeBack: () => true,
        reader: () => (second ??= connected()),
        ...requestsOn(client),
        close: async () => {
          await Promise.all([client.stop(), (await second)?.stop()]);
        },
      };
    },
  });
  const end = async (): Promise<void> => {
    connection.end();
    await connection.closed;
    await Promise.all(clients.map((client) => client.stop()));
  };
  let ids = 0;
  return {
    end,
    /** Resolves to the result. Rejects with the error. */
    async send(method: string, params: object): Promise<Record<string, unknown>> {
      const id = (ids += 1);
      const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      const { result, error } = await answered;
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return result as Record<string, unknown>;
    },
    [Symbol.asyncDispose]: end,
  };
}
