// SPDX-License-Identifier: MIT OR Apache-2.0
// Logs a person in to an agent, without a session. One login of each agent at a time; the agent's process lives until it
// has ended.
import type { AgentClient, AgentSink } from "../acp-client/agent-client.ts";
import type { AgentEvent, AgentFailure } from "../acp-client/agent-events.ts";
import { truncateText } from "../acp-client/jsonrpc/sample.ts";
import type { AgentIdentity, AgentInfo, AuthMethod } from "../acp-client/model.ts";
import type { Clock } from "../bus-client/index.ts";
import type { PostponedReply } from "./session/core/input.ts";
import { toErrorBody } from "./session/core/turns.ts";
import { errorBody, type LoginMethod, type LoginReply, type VerbInput } from "./vocabulary/index.ts";

/** An agent that can be started for a login. */
export interface LoginAgent {
  readonly start: (sink: AgentSink) => AgentClient;
  /** The command to which a terminal method appends its arguments, and the one that logs in by the agent's own program. */
  readonly command: readonly string[];
  readonly ownLogin: readonly string[] | undefined;
  /** The methods of the agent that only name that program. */
  readonly terminalLogins: (info: AgentInfo | null) => readonly string[];
  /** The methods of type `agent` that would fail without a key, each with the variable to set. */
  readonly keyless: (info: AgentInfo | null) => ReadonlyMap<string, string>;
}

type LoginRequest = Omit<VerbInput<"agent.login">, "command_id">;

export interface LoginsOptions {
  readonly find: (agent: string) => LoginAgent | AgentFailure;
  readonly clock: Pick<Clock, "after">;
  /** How long one call waits. The login goes on, and the next call waits for it again. */
  readonly waitMs: number;
}

const ownLoginMethod = "terminal";

export class Logins {
  readonly #options: LoginsOptions;
  readonly #running = new Map<string, Login>();
  #stopping = false;

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  /**
   * Without a method, says which there are. With the method of a login that runs, waits for that one. `visits`: how many
   * pages of it the caller has been shown.
   */
  async run({ agent, method, visits = 0 }: LoginRequest): Promise<PostponedReply> {
    for (;;) {
      const running = this.#running.get(agent);
      if (running === undefined) break;
      if (running.method === method) return await this.#wait(agent, running, visits);
      await running.stop();
      this.#forget(agent, running);
    }
    // From here on nothing waits: one login of an agent at a time.
    if (this.#stopping) return { rc: 10, body: errorBody("AGENT_INTERRUPTED", "agentd is stopping; log in again") };
    const found = this.#options.find(agent);
    if ("code" in found) return { rc: 10, body: toErrorBody(found) };
    const login = new Login(found, method);
    this.#running.set(agent, login);
    void login.done.finally(() => this.#forget(agent, login));
    return await this.#wait(agent, login, visits);
  }

  /** Ends every login and its agent. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(Array.from(this.#running.values(), (login) => login.stop()));
  }

  #forget(agent: string, login: Login): void {
    if (this.#running.get(agent) === login) this.#running.delete(agent);
  }

  async #wait(agent: string, login: Login, visits: number): Promise<PostponedReply> {
    const { clock, waitMs } = this.#options;
    let cancel: () => void = () => {};
    const late = new Promise<LoginEnd>((resolve) => {
      cancel = clock.after(waitMs, () => resolve({ done: false, pending: true }));
    });
    const end = await Promise.race([login.done, login.visitAfter(visits), late]);
    cancel();
    return "failure" in end
      ? { rc: 10, body: { ...toErrorBody(end.failure), agent } }
      : { rc: 0, body: { agent, ...(login.method === undefined ? {} : { method: login.method }), ...end } };
  }
}

type LoginEnd = Omit<LoginReply, "agent" | "method"> | { readonly failure: AgentFailure };

class Login {
  readonly method: string | undefined;
  /** When the login has ended and its agent is gone. */
  readonly done: Promise<LoginEnd>;
  readonly #agent: LoginAgent;
  readonly #client: AgentClient;
  /** The newest page to visit, and how many there were. */
  #visit: { readonly nth: number; readonly url: string; readonly message: string } | undefined;
  #tellVisit: (() => void)[] = [];

  constructor(agent: LoginAgent, method: string | undefined) {
    this.#agent = agent;
    this.method = method;
    this.#client = agent.start({ onEvent: (event) => this.#onEvent(event), onBatchEnd: () => {} });
    this.done = this.#run().then(async (end) => {
      await this.#client.stop();
      return end;
    });
  }

  /** The newest page to visit, once there have been more than `visits` of them. */
  visitAfter(visits: number): Promise<LoginEnd> {
    const visit = this.#visit;
    if (visit !== undefined && visit.nth > visits) return Promise.resolve({ done: false, visit });
    return new Promise((resolve) => {
      this.#tellVisit.push(() => resolve(this.visitAfter(visits)));
    });
  }

  async stop(): Promise<void> {
    await this.#client.stop();
    await this.done;
  }

  #run(): Promise<LoginEnd> {
    return new Promise((resolve) => {
      this.#client.initialize((initialized) => {
        if (!initialized.ok) return resolve({ failure: initialized.failure });
        const { authMethods } = initialized.value;
        const methods = toLoginMethods(initialized.value, this.#agent);
        if (this.method === undefined) return resolve({ done: false, methods });
        const chosen = methods.find(({ method }) => method === this.method);
        if (chosen === undefined) return resolve({ failure: unknownMethod(methods) });
        if (chosen.type === "terminal") return resolve(runOf(chosen, authMethods, this.#agent));
        if (chosen.type === "env_var") return resolve({ done: false, variables: chosen.variables ?? [] });
        this.#client.authenticate(chosen.method, (ended) =>
          resolve(ended.ok ? { done: true } : { failure: ended.failure }),
        );
      });
    });
  }

  /** A person has asked for this login, so the page that it needs is shown to them. Nothing opens it. */
  #onEvent(event: AgentEvent): void {
    if (event.type === "permission") this.#client.answer(event.request, { outcome: "cancelled" });
    if (event.type !== "elicitation") return;
    const { asked, request } = event;
    if (asked.mode !== "url") return this.#client.answer(request, { outcome: "decline" });
    this.#client.answer(request, { outcome: "accept" });
    const { url, message } = asked;
    this.#visit = { nth: (this.#visit?.nth ?? 0) + 1, url, message: truncateText(message, messageUnitsMax) };
    for (const tell of this.#tellVisit.splice(0)) tell();
  }
}

const messageUnitsMax = 2_000;

function toLoginMethods(
  { authMethods, info }: Pick<AgentIdentity, "authMethods" | "info">,
  { ownLogin, terminalLogins, keyless }: LoginAgent,
): readonly LoginMethod[] {
  const [ofProgram, keys] = [terminalLogins(info), keyless(info)];
  const offered = authMethods.map(({ id: method, name, description, type, variables }) => {
    const said = { method, name, ...(typeof description === "string" ? { description } : {}) };
    if (ofProgram.includes(method)) return { ...said, type: "terminal" as const };
    const key = type === "agent" ? keys.get(method) : undefined;
    if (key !== undefined) return { ...said, type: "env_var" as const, variables: [key] };
    return { ...said, type, ...(variables === undefined ? {} : { variables }) };
  });
  const isNeeded = !offered.some(({ type, method }) => type === "terminal" || method === ownLoginMethod);
  if (ownLogin === undefined || !isNeeded) return offered;
  return [...offered, { method: ownLoginMethod, name: "Log in with the agent's own program", type: "terminal" }];
}

function runOf(
  { method: id, description }: LoginMethod,
  methods: readonly AuthMethod[],
  { command, ownLogin }: LoginAgent,
): LoginEnd {
  const method = methods.find((one) => one.id === id && one.type === "terminal");
  if (method !== undefined) {
    const run = { command: method.command ?? [...command, ...(method.args ?? [])], env: method.env ?? {} };
    return { done: false, run };
  }
  if (ownLogin !== undefined) return { done: false, run: { command: ownLogin, env: {} } };
  // The program of a user's own entry may be a wrapper.
  const message = `this login is not begun from here: ${description ?? "run the agent's own login in a terminal"}`;
  return { failure: { code: "UNSUPPORTED", message } };
}

function unknownMethod(methods: readonly LoginMethod[]): AgentFailure {
  const known = methods.map(({ method }) => method).join(", ");
  return {
    code: "UNSUPPORTED",
    message: `the agent has no such login method; ${known === "" ? "it has none" : `it has ${known}`}`,
  };
}
