// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a tool once it is asked for: not too many at a time, and whatever goes wrong comes back as its result.
import { z } from "zod";
import { isDeeperThan } from "../json/depth.ts";
import { argumentsDepthMax, callsMax, resultBytesMax, waitsMax } from "./limits.ts";
import { toToolError, ToolError } from "./tool-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

export interface ToolResult {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

export class ToolRunner {
  #calls = 0;
  #waits = 0;

  /** Rejects only with the reason of an aborted signal, or a fault of our own. */
  async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
    if (this.#calls >= callsMax) return toErrorResult(new ToolError("BUSY", `${callsMax} calls are being worked on`));
    if (tool.waits && this.#waits >= waitsMax)
      return toErrorResult(new ToolError("BUSY", `${waitsMax} waits are open`));
    const giveBack = this.#reserve(tool, context.signal);
    try {
      const texts = await tool.run(parseArguments(tool, args), context);
      return { texts: texts.flatMap(truncateResult), isError: false };
    } catch (thrown) {
      const error = toToolError(thrown);
      if (error instanceof ToolError) return toErrorResult(error);
      throw thrown;
    } finally {
      giveBack();
    }
  }

  /** A place among those being worked on. Of a call that is given up it is free at once: the next may be in the same read. */
  #reserve({ waits }: Tool, signal: AbortSignal): () => void {
    const waiting = waits ? 1 : 0;
    this.#calls += 1;
    this.#waits += waiting;
    let isTaken = true;
    const giveBack = (): void => {
      if (!isTaken) return;
      isTaken = false;
      this.#calls -= 1;
      this.#waits -= waiting;
      signal.removeEventListener("abort", giveBack);
    };
    signal.addEventListener("abort", giveBack);
    return giveBack;
  }
}

function parseArguments(tool: Tool, args: unknown): unknown {
  if (isDeeperThan(args, argumentsDepthMax)) {
    throw new ToolError("ARGUMENT", `arrays and objects in more than ${argumentsDepthMax} levels`);
  }
  const parsed = tool.arguments.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  throw new ToolError("ARGUMENT", z.prettifyError(parsed.error));
}

function toErrorResult({ code, message, reply }: ToolError): ToolResult {
  const rc = reply === undefined ? {} : { rc: reply.rc };
  const said = JSON.stringify({ error_code: code, message, ...rc });
  const body = reply === undefined || reply.body === "" ? [] : [reply.body];
  return { texts: [said, ...body].flatMap(truncateResult), isError: true };
}

/** The text, or its beginning, cut between characters, and how much there was: a result that a model can hold. */
function truncateResult(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= resultBytesMax) return [text];
  let end = resultBytesMax;
  // A byte 10xxxxxx goes on with a character that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return [bytes.toString("utf8", 0, end), `[cut: the first ${end} of ${bytes.length} bytes; ask for less at a time]`];
}
