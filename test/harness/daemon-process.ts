// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd as users have it: the built program, in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BusClient, embeddedSocketPath, unixUrl } from "../../bus-client/index.ts";
import { within } from "./deadline.ts";
import type { Place } from "./place.ts";
import { nameOf } from "./user-name.ts";

export const agentdProgram = fileURLToPath(new URL("../../dist/bin/agentd.cjs", import.meta.url));

export interface DaemonProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly busUrl: string;
  /** What it has said on stderr so far. */
  words(): string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** A client of its Bus, connected; null: without a name. */
  connect(name?: string | null): Promise<BusClient>;
}

/** Resolves when agentd is on the Bus; rejects with its words when it ends before. */
export async function startDaemonProcess(
  place: Place,
  environment: Readonly<Record<string, string>> = {},
  program = agentdProgram,
): Promise<DaemonProcess> {
  const env = { ...place.environment, ...environment };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let words = "";
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const registered = new Promise<void>((resolve) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words += text;
      if (words.includes("on the Bus as agent")) resolve();
    });
  });
  const ended = exited.then(({ code, signal }) => {
    throw new Error(`agentd ended (${code ?? signal}) before it was on the Bus:\n${words}`);
  });
  ended.catch(() => {});
  const busUrl = unixUrl(embeddedSocketPath({ env, uid: process.getuid?.() ?? -1 }));
  const clients: BusClient[] = [];
  const daemon: DaemonProcess = {
    child,
    busUrl,
    words: () => words,
    exited,
    async connect(name) {
      const client = new BusClient({ url: busUrl, ...nameOf(name) });
      clients.push(client);
      await client.connect();
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.stop()));
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await within(30_000, "agentd did not end", exited);
    },
  };
  await within(20_000, "agentd did not come up", Promise.race([registered, ended]));
  return daemon;
}
