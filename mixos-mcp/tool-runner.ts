// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs tool calls, limits how many run at a time, and returns their errors as results.
import * as z from "zod";
import { isDeeperThan } from "../json/depth.ts";
import { argumentsDepthMax, callsMax, resultBytesMax, waitsMax } from "./limits.ts";
import { toObjectText } from "./object-text.ts";
import { toToolError, ToolError } from "./tool-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

export interface ToolResult {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

export class ToolRunner {
  #calls = 0;
  #waits = 0;

  /** Rejects only with the reason of an aborted signal, or with an error that is a bug of ours. */
  async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
    if (this.#calls >= callsMax) return toErrorResult(new ToolError("BUSY", `${callsMax} calls are already running`));
    if (tool.waits && this.#waits >= waitsMax)
      return toErrorResult(new ToolError("BUSY", `${waitsMax} waits are already open`));
    const release = this.#reserve(tool, context.signal);
    try {
      const texts = await tool.run(parseArguments(tool, args), context);
      return { texts: texts.map((text) => toObjectText(text)).flatMap(truncateResult), isError: false };
    } catch (thrown) {
      const error = toToolError(thrown);
      if (error instanceof ToolError) return toErrorResult(error);
      throw thrown;
    } finally {
      release();
    }
  }

  /** Takes a slot, and frees it at once if the call is cancelled: the next call may come in the same read. */
  #reserve({ waits }: Tool, signal: AbortSignal): () => void {
    const waiting = waits ? 1 : 0;
    this.#calls += 1;
    this.#waits += waiting;
    let isTaken = true;
    const release = (): void => {
      if (!isTaken) return;
      isTaken = false;
      this.#calls -= 1;
      this.#waits -= waiting;
      signal.removeEventListener("abort", release);
    };
    signal.addEventListener("abort", release);
    return release;
  }
}

function parseArguments(tool: Tool, args: unknown): unknown {
  if (isDeeperThan(args, argumentsDepthMax)) {
    throw new ToolError("ARGUMENT", `arrays and objects are nested more than ${argumentsDepthMax} levels deep`);
  }
  const parsed = tool.arguments.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  throw new ToolError("ARGUMENT", z.prettifyError(parsed.error));
}

function toErrorResult({ code, message, reply }: ToolError): ToolResult {
  const rc = reply === undefined ? {} : { rc: reply.rc };
  const head = JSON.stringify({ error_code: code, message, ...rc });
  const body = reply === undefined || reply.body === "" ? [] : [reply.body];
  return { texts: [head, ...body.map((text) => toObjectText(text))].flatMap(truncateResult), isError: true };
}

/** Truncates a long text between characters and adds a note, so that a result fits into a model's context. */
function truncateResult(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= resultBytesMax) return [text];
  let end = resultBytesMax;
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return [
    bytes.toString("utf8", 0, end),
    `[truncated to the first ${end} of ${bytes.length} bytes; ask for less at a time]`,
  ];
}
