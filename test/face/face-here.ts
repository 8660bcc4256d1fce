// SPDX-License-Identifier: MIT OR Apache-2.0
// The face in the test's process, between two streams in memory and a Bus in memory.
import { PassThrough, Writable } from "node:stream";
import { startFace } from "../../acp-face/face-start.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { requestsOn } from "../../agent-client/requests/ask.ts";
import { clientError } from "../../agent-client/agent-error.ts";
import { BusClient } from "../../bus-client/index.ts";
import { Inbox } from "../../bus-client/testing/inbox.ts";
import type { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { Transport } from "../../bus-client/transport.ts";

// Loaded before, so that no case waits for it longer than a program does.
await import("../../acp-face/face.ts");

export interface FaceHereOptions {
  readonly clock: ManualClock;
  /** Throws while there is no Bus. */
  readonly url: () => Transport;
  readonly keepsRunning: boolean;
}

export type FaceHere = ReturnType<typeof startFaceHere>;

export function startFaceHere({ clock, url, keepsRunning }: FaceHereOptions) {
  const input = new PassThrough();
  const lines = new Inbox<string>();
  const words: string[] = [];
  const markers = new Inbox<string>();
  const output = new LineOutput((line) => (line.includes('"id":"marker"') ? markers : lines).push(line));
  const clients: BusClient[] = [];
  let commands = 0;
  const connection = startFace({
    input,
    output,
    clock,
    keepsRunning,
    agent: "demo",
    version: "0.0.0-test",
    newCommandId: () => `c${(commands += 1)}`,
    diagnose: (text) => void words.push(text),
    connect: () => connect(url, clients),
  });
  let hasEnded = false;
  void connection.closed.then(() => (hasEnded = true));
  return {
    connection,
    /** Whether it reads nothing more, or nothing of what it writes is read. */
    isDeaf: () => hasEnded || input.writableEnded || input.destroyed || output.isClosed || output.isHeld,
    /** Resolves when the face has read everything that was written before. */
    marker: async (): Promise<void> => {
      input.write('{"jsonrpc":"2.0","id":"marker","method":"_marker"}\n');
      await markers.next("the marker");
    },
    input,
    output,
    lines,
    words,
    clients,
    async [Symbol.asyncDispose]() {
      connection.end();
      await connection.closed;
      await Promise.all(clients.map((client) => client.stop()));
    },
  };
}

/** Hands on each line, until its reader is gone. */
class LineOutput extends Writable {
  readonly #onLine: (line: string) => void;
  #rest = "";
  #held: (() => void) | undefined;
  isClosed = false;
  isHeld = false;

  constructor(onLine: (line: string) => void) {
    super({ decodeStrings: false });
    this.#onLine = onLine;
  }

  override _write(chunk: string, _encoding: string, written: (error?: Error) => void): void {
    if (this.isClosed) return written(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line);
    if (this.isHeld) this.#held = written;
    else written();
  }

  /** Whether its reader reads. */
  reads(doesRead: boolean): void {
    this.isHeld = !doesRead;
    if (doesRead) this.#held?.();
  }
}

async function connect(url: () => Transport, clients: BusClient[]): Promise<AgentBus> {
  const connected = async (name?: string): Promise<BusClient> => {
    const client = new BusClient({ url, ...(name !== undefined && { name }) });
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    url();
  } catch {
    throw clientError("UNREACHABLE", "there is no Bus");
  }
  const client = await connected("acp-test22");
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
}
