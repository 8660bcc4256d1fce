// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent for tests of the agent's side: a prompt's text says what it does.
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Agent, InitializeRequest, ListRequest, Meta, NewSession, Prompt, SessionRequest } from "../agent.ts";
import type { Client } from "../client.ts";
import { started } from "../started-agent.ts";
import { serveOnStdio } from "../stdio.ts";

class TestAgent implements Agent {
  readonly #client: Client;
  readonly #titles = new Map<string, string>();
  readonly #metas: Meta[] = [];
  #model = "none";

  constructor(client: Client) {
    this.#client = client;
  }

  initialize({ meta }: InitializeRequest) {
    this.#metas.push(meta, this.#client.capabilities.meta);
    return { info: { name: "tested", version: "1.0.0" }, prompt: { image: true }, meta: { tested: true } };
  }

  async newSession({ cwd, mcpServers, meta }: NewSession) {
    this.#metas.push(meta);
    const sessionId = `s${this.#titles.size + 1}`;
    this.#titles.set(sessionId, JSON.stringify(mcpServers ?? null));
    const options = [{ option: "loud", name: "Loud", type: "boolean", value: cwd === "/" } as const];
    return { sessionId, options, ...(Object.hasOwn(meta, "echo") && { meta }) };
  }

  async loadSession({ sessionId }: { readonly sessionId: string }) {
    await this.#say(sessionId, "before");
    return {};
  }

  async listSessions({ meta }: ListRequest) {
    this.#metas.push(meta);
    const sessions = Array.from(this.#titles, ([sessionId, title]) => ({ sessionId, cwd: "/", title }));
    return { sessions, nextCursor: "more" };
  }

  async closeSession(): Promise<void> {}

  async setModel({ modelId }: SessionRequest & { readonly modelId: string }): Promise<void> {
    this.#model = modelId;
  }

  cancelled({ sessionId }: SessionRequest): void {
    if (!this.#titles.has(sessionId)) process.stderr.write("cancel of an unknown session\n");
  }

  async ended(): Promise<void> {
    await this.#say("s1", "ended");
  }

  async logout(): Promise<void> {
    throw new Error("no way out\nsecond line");
  }

  async prompt({ sessionId, blocks, meta }: Prompt, signal: AbortSignal) {
    this.#metas.push(meta);
    const [, act = "", rest = ""] = /^(\S*) ?(.*)$/su.exec(String(blocks[0]?.["text"])) ?? [];
    const said = await this.#act(act, rest, sessionId, signal);
    if (said !== undefined) await this.#say(sessionId, said);
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
    return { stopReason: "end_turn", meta: { act }, ...(act === "use" && { usage }) };
  }

  async #act(act: string, rest: string, sessionId: string, signal: AbortSignal): Promise<string | undefined> {
    switch (act) {
      case "say":
        return rest;
      case "use":
        return undefined;
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
        process.emitWarning("noise of a warning");
        await setImmediate();
        return undefined;
      case "metas":
        return JSON.stringify(this.#metas);
      case "model":
        return this.#model;
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

const log = process.env["PRINT_TO"];
const failure = await serveOnStdio((client) => started(new TestAgent(client)), {
  ...(log !== undefined && { print: (text) => appendFileSync(log, text) }),
  endedBy: ["SIGTERM", "SIGHUP"],
}).closed;
process.exit(failure === undefined ? 0 : 1);
