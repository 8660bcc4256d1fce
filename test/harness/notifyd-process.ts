// SPDX-License-Identifier: MIT OR Apache-2.0
// notifyd as users have it: the built program, in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { within } from "./deadline.ts";

export const notifydProgram = fileURLToPath(new URL("../../dist/bin/notifyd.cjs", import.meta.url));

export interface NotifydProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  words(): string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Resolves when it has said that. */
  says(text: string): Promise<void>;
}

/** Resolves when notifyd is on the Bus, which is at hand for that environment; rejects with its words when it ends before. */
export async function startNotifydProcess(environment: Readonly<Record<string, string>>): Promise<NotifydProcess> {
  const child = spawn(process.execPath, [notifydProgram], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  const looks = new Set<() => void>();
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words += text;
    for (const look of looks) look();
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const ended = exited.then(({ code, signal }) => {
    throw new Error(`notifyd ended (${code ?? signal}):\n${words}`);
  });
  ended.catch(() => {});
  const says = (text: string): Promise<void> => {
    const said = new Promise<void>((resolve) => {
      const look = (): void => void (words.includes(text) && resolve());
      looks.add(look);
      look();
    });
    return within(20_000, () => `notifyd did not say "${text}" but ${words}`, Promise.race([said, ended]));
  };
  await says("on the Bus as notify");
  return {
    child,
    words: () => words,
    exited,
    says,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await within(20_000, "notifyd did not end", exited);
    },
  };
}
