// SPDX-License-Identifier: MIT OR Apache-2.0
// A model provider on loopback that says what a script says, in the wire formats that coding agents speak.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicMessages } from "./anthropic-messages.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Asked, Dialect, JsonObject } from "./dialect.ts";
import { openEventStream } from "./event-stream.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import { chooseStep, type ConversationEntry, type Scenario } from "./script.ts";

/** What a model was asked, and what became of it. */
export interface ModelRequest {
  readonly dialect: string;
  readonly model: string;
  /** How hard it was to think; empty where nothing was said of it. */
  readonly effort: string;
  readonly conversation: readonly ConversationEntry[];
  /** How many images were in it. */
  readonly images: number;
  readonly toolNames: readonly string[];
  /** The scenario's words, or null where none applied (a title, or words that the script does not know). */
  readonly words: string | null;
  readonly step: number;
  /** A stream is `open` until its last event was sent or its client has gone. */
  readonly state: "open" | "answered" | "refused" | "client left";
}

export interface ModelServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly ModelRequest[];
  /** Adds a scenario to the script. */
  play(scenario: Scenario): void;
  /**
   * Requests that no dialect knows, as `METHOD target`. Where an agent has this server as its proxy, these are its
   * tries to reach other hosts; all are refused.
   */
  readonly strays: readonly string[];
  /** The first request, past or to come, that meets the condition; rejects when there is none within the deadline. */
  until(condition: (request: ModelRequest) => boolean, deadlineMs: number): Promise<ModelRequest>;
  /** Ends open streams. Rejects when the server itself had failed at a request: the test it served means nothing then. */
  close(): Promise<void>;
}

const dialects: readonly Dialect[] = [anthropicMessages, chatCompletions, gemini, responses];
const bodyBytesMax = 64 * 1024 * 1024;
const requestsMax = 10_000;

/** `key`: requests to a model without this key are refused with 401. */
export async function startModelServer(
  script: readonly Scenario[] = [],
  { key }: { readonly key?: string } = {},
): Promise<ModelServer> {
  const scenarios = [...script];
  const requests: ModelRequest[] = [];
  const strays: string[] = [];
  const failures: unknown[] = [];
  const waiting = new Set<() => void>();
  let lastId = 0;

  function record(request: ModelRequest): (state: ModelRequest["state"]) => void {
    if (requests.length >= requestsMax) throw new Error(`an agent asked its model more than ${requestsMax} times`);
    const at = requests.push(request) - 1;
    notify();
    return (state) => {
      requests[at] = { ...request, state };
      notify();
    };
  }

  function notify(): void {
    for (const look of waiting) look();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? "";
    // Of the path alone: a target with a host in it is a request to a proxy, and no dialect's.
    const [path = ""] = target.split("?", 1);
    if (request.method === "GET" && path === "/v1/models") return sendJson(response, 200, modelList);
    const dialect = dialects.find((candidate) => request.method === "POST" && candidate.serves(path));
    if (dialect === undefined) {
      strays.push(`${request.method} ${target}`);
      return sendJson(response, 404, { error: { message: `nothing here answers ${request.method} ${target}` } });
    }
    const body = parseObject(await readBody(request));
    if (key !== undefined && !hasKey(request, key))
      return sendJson(response, 401, dialect.refusal({ status: 401, message: "the key is missing or wrong" }));
    if (body === undefined) return sendJson(response, 400, { error: { message: "the body is not a JSON object" } });
    await answer(dialect, dialect.read(body, path), response);
  }

  async function answer(dialect: Dialect, asked: Asked, response: ServerResponse): Promise<void> {
    const { model, effort, conversation, images, toolNames } = asked;
    const { words, index, step } = asked.wantsJson
      ? { words: null, index: 0, step: { text: ["{}"] } }
      : chooseStep(scenarios, conversation, toolNames.length > 0);
    const request = { dialect: dialect.name, model, effort, conversation, images, toolNames, words, step: index };
    const become = record({ ...request, state: "open" });
    if ("status" in step) {
      sendJson(response, step.status, dialect.refusal(step));
      return become("refused");
    }
    const to = { id: String(++lastId), model };
    if (!asked.stream) {
      sendJson(response, 200, dialect.whole(step, to));
      return become("answered");
    }
    const events = openEventStream(response);
    await dialect.stream(step, to, events);
    become(response.destroyed ? "client left" : "answered");
    events.end();
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((failure: unknown) => {
      failures.push(failure);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: String(failure) } });
    });
  });
  server.on("connect", (request, socket) => {
    strays.push(`CONNECT ${request.url}`);
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  let closing: Promise<void> | undefined;
  async function shut(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    if (failures.length > 0) throw new AggregateError(failures, "the model server failed");
  }
  const close = (): Promise<void> => (closing ??= shut());

  return {
    port: (server.address() as AddressInfo).port,
    requests,
    strays,
    play: (scenario) => void scenarios.push(scenario),
    until: (condition, deadlineMs) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          waiting.delete(look);
        };
        const look = (): void => {
          const found = requests.find(condition);
          if (found === undefined) return;
          stop();
          resolve(found);
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`no such model request within ${deadlineMs} ms; there were: ${describe(requests)}`));
        }, deadlineMs);
        waiting.add(look);
        look();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const modelList = { object: "list", data: [{ id: "scripted", object: "model", created: 0, owned_by: "scripted" }] };

/** In whichever header the wire formats have it. */
function hasKey({ headers }: IncomingMessage, key: string): boolean {
  return [headers.authorization?.replace(/^Bearer /i, ""), headers["x-api-key"], headers["x-goog-api-key"]].includes(
    key,
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error(`a request body is larger than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function describe(requests: readonly ModelRequest[]): string {
  const lines = requests.map(({ words, step, state }) => `${words ?? "(no scenario)"} step ${step}: ${state}`);
  return lines.length === 0 ? "none" : lines.join("; ");
}
