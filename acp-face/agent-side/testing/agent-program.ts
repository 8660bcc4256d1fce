// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent for tests of the agent's side: a prompt's text says what it does.
import { once } from "node:events";
import type { Agent, Prompt } from "../agent.ts";
import type { Client } from "../client.ts";
import { serveOnStdio } from "../stdio.ts";

class TestAgent implements Agent {
  readonly #client: Client;
  readonly #titles = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  initialize() {
    return { info: { name: "tested", version: "1.0.0" }, prompt: { image: true }, meta: { tested: true } };
  }

  async newSession({ cwd, mcpServers }: { readonly cwd: string; readonly mcpServers: unknown }) {
    const sessionId = `s${this.#titles.size + 1}`;
    this.#titles.set(sessionId, JSON.stringify(mcpServers ?? null));
    const options = [{ option: "loud", name: "Loud", type: "boolean", value: cwd === "/" } as const];
    return { sessionId, options };
  }

  async loadSession({ sessionId }: { readonly sessionId: string }) {
    await this.#say(sessionId, "before");
    return {};
  }

  async listSessions() {
    const sessions = Array.from(this.#titles, ([sessionId, title]) => ({ sessionId, cwd: "/", title }));
    return { sessions, nextCursor: "more" };
  }

  async closeSession(): Promise<void> {}

  async logout(): Promise<void> {
    throw new Error("no way out\nsecond line");
  }

  async prompt({ sessionId, blocks }: Prompt, signal: AbortSignal) {
    const [, act = "", rest = ""] = /^(\S*) ?(.*)$/su.exec(String(blocks[0]?.["text"])) ?? [];
    const said = await this.#act(act, rest, sessionId, signal);
    if (said !== undefined) await this.#say(sessionId, said);
    return { stopReason: "end_turn", meta: { act } };
  }

  async #act(act: string, rest: string, sessionId: string, signal: AbortSignal): Promise<string | undefined> {
    switch (act) {
      case "say":
        return rest;
      case "wait":
        await this.#say(sessionId, "waiting");
        if (!signal.aborted) await once(signal, "abort");
        return undefined;
      case "fail":
        throw new Error("it broke\nin two lines");
      case "noise":
        // oxlint-disable-next-line no-console -- a library does it
        console.log("noise of console.log");
        process.stdout.write("noise of stdout\n");
        return undefined;
      case "flood":
        for (let sent = 0; sent < Number(rest); sent += 1) await this.#say(sessionId, "x".repeat(1000));
        return undefined;
      case "unwritten":
        return String(process.stdout.writableLength);
      case "permission": {
        const options = [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ];
        const question = { sessionId, toolCall: { toolCallId: "t" }, options };
        return JSON.stringify(await this.#client.askPermission(question, signal));
      }
      case "form": {
        const form = { sessionId, mode: "form", message: "?", requestedSchema: { type: "object" } } as const;
        return JSON.stringify(await this.#client.elicit(form, signal));
      }
      default:
        return JSON.stringify(await this.#client.call(act, { sessionId, path: rest }, signal));
    }
  }

  async #say(sessionId: string, text: string): Promise<void> {
    await this.#client.update(sessionId, {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text },
    });
  }
}

await serveOnStdio((client) => new TestAgent(client)).closed;
process.exit(0);
