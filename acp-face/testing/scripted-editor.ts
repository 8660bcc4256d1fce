// SPDX-License-Identifier: MIT OR Apache-2.0
// The agent's side of ACP in this process, and an editor on the other end of its streams that a test speaks for.
import { PassThrough, type Readable, type Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import type { Client } from "../agent-side/client.ts";
import type { Connection } from "../agent-side/connection.ts";
import { serveAgent } from "../agent-side/serve-agent.ts";
import { started } from "../agent-side/started-agent.ts";

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface Editor {
  /** The next message to the editor that is no reply. */
  next(): Promise<Message>;
  /** The messages that have come and were not taken. */
  readonly waiting: readonly Message[];
  /** Results by method: such requests are answered at once. */
  readonly answers: Map<string, unknown>;
  /** Sends a request. Resolves to the reply. */
  request(method: string, params: object): Promise<Message>;
  notify(method: string, params: object): void;
  /** Answers our request: with a result, or with `{ error }`. */
  answer(id: number | undefined, answer: { readonly result: unknown } | { readonly error: object }): void;
  /** The editor goes away. Resolves when all is dealt with, after at most 1.5 s. */
  end(): Promise<unknown>;
}

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** An editor after initialize. */
export async function editorOf(serve: (streams: Streams) => Connection, clientCapabilities: object): Promise<Editor> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received = new Inbox<Message>();
  const replies = new Map<number, (reply: Message) => void>();
  const answers = new Map<string, unknown>();
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      if (message.method === undefined) {
        replies.get(message.id ?? 0)?.(message);
        continue;
      }
      received.push(message);
      if (answers.has(message.method)) send({ id: message.id, result: answers.get(message.method) });
    }
  });
  const connection = serve({ input, output });
  onTestFinished(async () => {
    connection.end();
    await connection.closed;
  });
  let lastId = 0;
  const editor: Editor = {
    next: () => received.next("the next message to the editor"),
    get waiting() {
      return received.waiting;
    },
    answers,
    request(method, params) {
      const id = (lastId += 1);
      send({ id, method, params });
      return new Promise((resolve) => replies.set(id, resolve));
    },
    notify: (method, params) => send({ method, params }),
    answer: (id, answer) => send({ id, ...answer }),
    end() {
      input.end();
      return connection.closed;
    },
  };
  await editor.request("initialize", { protocolVersion: 1, clientCapabilities });
  return editor;
}

export type ScriptedEditor = Editor & {
  /** Our side's view of the editor. */
  readonly client: Client;
  /** Resolves when all that was sent is read and dealt with. */
  settled(): Promise<void>;
};

/** An editor of an agent that does nothing. */
export async function scriptedEditor(clientCapabilities: object = {}): Promise<ScriptedEditor> {
  const clients: Client[] = [];
  const serve = (streams: Streams): Connection =>
    serveAgent({
      ...streams,
      diagnose: () => {},
      start: (client) => {
        clients.push(client);
        return started({
          initialize: () => ({ info: { name: "tested", version: "1" } }),
          newSession: async () => ({ sessionId: "s" }),
          prompt: async () => ({ stopReason: "end_turn" }),
        });
      },
    });
  const editor = await editorOf(serve, clientCapabilities);
  const [client] = clients;
  if (client === undefined) throw new Error("the agent was not started");
  return Object.assign(editor, {
    client,
    async settled() {
      await editor.request("session/new", { cwd: "/" });
      await setImmediate();
    },
  });
}
