// SPDX-License-Identifier: MIT OR Apache-2.0
// MCP over stdin and stdout. Unlike the SDK's transport, which rounds numbers by JSON.parse, this one keeps the numbers
// in a tool call's arguments as they were written.
import { Readable, type Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JSONRPCMessageSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { parseJson, stringifyJson, withDoubles } from "../json/raw-json.ts";
import { withoutByteOrderMark } from "../files/byte-order-mark.ts";

export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #lineBytesMax: number;
  #carried: Buffer[] = [];
  #carriedBytes = 0;

  /** A line longer than `lineBytesMax` closes the transport. */
  constructor(stdin: Readable, stdout: Writable, lineBytesMax: number) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#lineBytesMax = lineBytesMax;
  }

  start(): Promise<void> {
    this.#stdin.on("data", this.#onData).on("error", this.#onError);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#stdin.off("data", this.#onData).pause();
    this.#carried = [];
    this.onclose?.();
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#stdout.write(`${stringifyJson(message)}\n`)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stdout.once("drain", resolve);
    });
  }

  readonly #onData = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      this.#carry(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#carried).toString("utf8").replace(/\r$/, "");
      this.#carried = [];
      this.#carriedBytes = 0;
      this.#deliver(line);
    }
    this.#carry(chunk.subarray(start));
    if (this.#carriedBytes <= this.#lineBytesMax) return;
    this.onerror?.(new Error(`a line is longer than ${this.#lineBytesMax} bytes`));
    void this.close();
  };

  readonly #onError = (error: Error): void => this.onerror?.(error);

  #carry(bytes: Buffer): void {
    this.#carried.push(bytes);
    this.#carriedBytes += bytes.length;
  }

  #deliver(line: string): void {
    try {
      this.onmessage?.(parseMessage(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}

/** Throws if the line is not a message. */
function parseMessage(line: string): JSONRPCMessage {
  const message = JSONRPCMessageSchema.parse(JSON.parse(line));
  if (!("method" in message) || message.method !== "tools/call" || message.params === undefined) return message;
  const { params } = parseJson(line) as { readonly params: { readonly arguments?: unknown } };
  return { ...message, params: { ...message.params, arguments: withDoubles(params.arguments) } };
}

/** Removes a leading byte order mark, which the SDK would take for a part of the first message. */
export function stripByteOrderMark(stream: AsyncIterable<Buffer>): Readable {
  return Readable.from(withoutMark(stream), { objectMode: false });
}

async function* withoutMark(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const markBytes = 3;
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < markBytes) continue;
    yield withoutByteOrderMark(head);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield head;
}
