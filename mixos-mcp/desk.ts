// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs a tool once it is asked for: not too many at a time, and whatever goes wrong comes back as its result.
import * as z from "zod";
import { isDeeperThan } from "../json/depth.ts";
import { argumentsDepthMax, callsMax, resultBytesMax, waitsMax } from "./limits.ts";
import { asToolError, ToolError } from "./tool-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

export interface ToolResult {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

export class Desk {
  #calls = 0;
  #waits = 0;

  /** Rejects only with the reason of an aborted signal, or a fault of our own. */
  async run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
    if (this.#calls >= callsMax) return failed(new ToolError("BUSY", `${callsMax} calls are being worked on`));
    if (tool.waits && this.#waits >= waitsMax) return failed(new ToolError("BUSY", `${waitsMax} waits are open`));
    const giveBack = this.#take(tool, context.signal);
    try {
      const texts = await tool.run(argumentsFor(tool, args), context);
      return { texts: texts.flatMap(bounded), isError: false };
    } catch (thrown) {
      const error = asToolError(thrown);
      if (error instanceof ToolError) return failed(error);
      throw thrown;
    } finally {
      giveBack();
    }
  }

  /** A place among those being worked on. Of a call that is given up it is free at once: the next may be in the same read. */
  #take({ waits }: Tool, signal: AbortSignal): () => void {
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

function argumentsFor(tool: Tool, args: unknown): unknown {
  if (isDeeperThan(args, argumentsDepthMax)) {
    throw new ToolError("ARGUMENT", `arrays and objects in more than ${argumentsDepthMax} levels`);
  }
  const parsed = tool.arguments.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  throw new ToolError("ARGUMENT", z.prettifyError(parsed.error));
}

function failed({ code, message, reply }: ToolError): ToolResult {
  const rc = reply === undefined ? {} : { rc: reply.rc };
  const said = JSON.stringify({ error_code: code, message, ...rc });
  const body = reply === undefined || reply.body === "" ? [] : [reply.body];
  return { texts: [said, ...body].flatMap(bounded), isError: true };
}

/** The text, or its beginning, cut between characters, and how much there was: a result that a model can hold. */
function bounded(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= resultBytesMax) return [text];
  let end = resultBytesMax;
  // A byte 10xxxxxx goes on with a character that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return [bytes.toString("utf8", 0, end), `[cut: the first ${end} of ${bytes.length} bytes; ask for less at a time]`];
}
