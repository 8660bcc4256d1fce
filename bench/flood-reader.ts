// SPDX-License-Identifier: MIT OR Apache-2.0
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { within } from "../test/harness/deadline.ts";

/** A program of `readers/`, in a process of its own, that takes in a whole flood whenever it is told to. */
export interface FloodReader extends AsyncDisposable {
  readonly pid: number;
  /** From the prompt to the last update, in ms. Fails unless every update came, whole. */
  flood(): Promise<number>;
  /** Of an `editor`, for a turn of the paced agent: the median time from the agent's write to the handler, in ms. */
  pace(): Promise<number>;
}

const startTimeoutMs = 30_000;
const floodTimeoutMs = 120_000;

export async function startFloodReader(
  program: "subscriber" | "sdk-client" | "editor",
  args: string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<FloodReader> {
  const child = fork(fileURLToPath(new URL(`readers/${program}.mjs`, import.meta.url)), args, { execArgv: [], env });
  const ended = once(child, "exit").then(([code, signal]) => {
    throw new Error(`${program} ended (${code ?? signal})`);
  });
  ended.catch(() => {});
  const answer = async (ms: number, what: string): Promise<{ ms?: number }> => {
    const [message] = (await within(ms, what, Promise.race([once(child, "message"), ended]))) as [{ ms?: number }];
    return message;
  };
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await within(
      10_000,
      `${program} did not end`,
      ended.catch(() => {}),
    );
  };
  try {
    await answer(startTimeoutMs, `${program} did not start`);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const millisecondsOf = async (job: "flood" | "pace"): Promise<number> => {
    child.send(job);
    const { ms } = await answer(floodTimeoutMs, `${program} did not receive the ${job}`);
    if (ms === undefined) throw new Error(`${program} did not say how long the ${job} took`);
    return ms;
  };
  return {
    pid: child.pid ?? -1,
    flood: () => millisecondsOf("flood"),
    pace: () => millisecondsOf("pace"),
    [Symbol.asyncDispose]: stop,
  };
}
