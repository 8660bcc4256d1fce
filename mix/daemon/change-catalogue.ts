// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs agentd's program to change the user's agents, and reads what it prints.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { CatalogueEvent } from "../../agentd/vocabulary/catalogue-change.ts";
import { ownError } from "../process/mix-error.ts";
import type { Context } from "../process/context.ts";

type Progress = Extract<CatalogueEvent, { event: "progress" }>;

export interface CatalogueWords {
  readonly words: readonly string[];
  /** A line for the program's stdin: everybody can read its words. */
  readonly line?: string;
}

/** Returns the last event, or `interrupted` after the program has ended its work and removed what it had begun. */
export async function changeCatalogue(
  { agentdProgram, nodeProgram, env, interrupts }: Context,
  { words, line: sent }: CatalogueWords,
  on: { readonly progress: (event: Progress) => void; readonly stopping: () => void },
): Promise<Exclude<CatalogueEvent, Progress> | "interrupted"> {
  // It keeps the socket at its stdin open: if mix dies, the program ends too.
  const child = spawn(nodeProgram, [agentdProgram, ...words], { cwd: "/", env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  if (sent !== undefined) child.stdin.write(`${sent}\n`);
  let interrupted = false;
  const ignore = interrupts.listen(() => {
    if (!interrupted) on.stopping();
    interrupted = true;
    child.kill("SIGTERM");
  });
  let last: Exclude<CatalogueEvent, Progress> | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = JSON.parse(line) as CatalogueEvent;
    if (event.event !== "progress") last = event;
    // What npm still does while it is stopped is of no interest.
    else if (!interrupted) on.progress(event);
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors = (errors + chunk).slice(-errorsLengthMax);
  });
  let by: string | null = null;
  try {
    [, by] = (await once(child, "close")) as [number | null, string | null];
  } catch (error) {
    errors = (error as Error).message;
  } finally {
    ignore();
  }
  // It may have been done already.
  if (interrupted && last?.event !== "done") return "interrupted";
  if (last !== undefined) return last;
  const reason = by === null ? lastWords(errors) : `it was ended by ${by}`;
  throw ownError("UNREACHABLE", `agentd's own program failed: ${reason}`);
}

/** The last line that is neither of a stack trace nor Node's version below it. */
function lastWords(errors: string): string {
  const lines = errors.split("\n").filter((line) => line.trim() !== "" && !/^(?:\s+at |Node\.js v)/u.test(line));
  return lines.at(-1)?.trim() ?? "it said nothing";
}

const errorsLengthMax = 4_096;
