// SPDX-License-Identifier: MIT OR Apache-2.0
// The agent of `agent-program.ts` as a child process, and a client that writes and reads lines as they are.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "agent-side-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Bundled once per file: starting through a compiler would cost each test a second. */
const program = join(directory, "agent.mjs");
buildSync({
  entryPoints: [fileURLToPath(new URL("agent-program.ts", import.meta.url))],
  outfile: program,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
});

export const agentCommand = [process.execPath, program] as const;

const deadlineMs = 20_000;

export function rawClient(env: NodeJS.ProcessEnv = {}) {
  const [node, ...args] = agentCommand;
  const child = spawn(node, args, { stdio: "pipe", env: { ...process.env, ...env } });
  const lines: string[] = [];
  let rest = "";
  let errors = "";
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const [first = "", ...others] = text.split("\n");
    rest += first;
    for (const next of others) {
      lines.push(rest);
      rest = next;
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const line = async (fits: (line: string) => boolean): Promise<string> => {
    for (const until = performance.now() + deadlineMs; performance.now() < until;) {
      const found = lines.find(fits);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`No such line; there are ${JSON.stringify(lines).slice(-2000)}, and on stderr ${errors}`);
  };
  return {
    child,
    lines,
    errors: () => errors,
    line,
    write: (...written: (string | Buffer)[]) => {
      for (const each of written) child.stdin.write(each);
    },
    /** Sends a line for each text or object. */
    send: (...messages: (string | object)[]) => {
      const texts = messages.map((message) => (typeof message === "string" ? message : JSON.stringify(message)));
      child.stdin.write(texts.map((text) => `${text}\n`).join(""));
    },
    /** Resolves to the line whose id has this JSON text. */
    answer: (id: string) =>
      line((one) => ["result", "error"].some((kind) => one.startsWith(`{"jsonrpc":"2.0","id":${id},"${kind}"`))),
    end: async (): Promise<number | null> => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
      return child.exitCode;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    },
  };
}

export function request(id: number | string, method: string, params?: object): object {
  return { jsonrpc: "2.0", id, method, ...(params && { params }) };
}

export const initialize = request("init", "initialize", { protocolVersion: 1 });
export const newSession = request("new", "session/new", { cwd: "/" });

export function prompt(id: number | string, text: string): object {
  return request(id, "session/prompt", { sessionId: "s1", prompt: [{ type: "text", text }] });
}

/** A client after initialize and session/new, whose session is s1. */
export async function openedClient(clientCapabilities: object = {}, env: NodeJS.ProcessEnv = {}) {
  const client = rawClient(env);
  client.send(request("init", "initialize", { protocolVersion: 1, clientCapabilities }), newSession);
  await client.answer('"new"');
  return client;
}
