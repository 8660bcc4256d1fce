// SPDX-License-Identifier: MIT OR Apache-2.0
// The client of one agent: the methods of AgentClient, of which all but initialize wait until the agent is ready.
import type { AgentClient, AgentSink, OpenSessionParams, SessionInfo } from "./agent-client.ts";
import { AgentConnection, type AgentOptions } from "./agent-connection.ts";
import type { Done, OpenedSession, PromptResult, AgentExit } from "./agent-events.ts";
import { AcpClientError } from "./client-error.ts";
import type { AgentIdentity, ContentBlock, RequestAnswer, RequestKey, SteeringOutcome } from "./model.ts";
import type { AgentProcess } from "./process/agent-process.ts";
import type { ProtocolSession } from "./protocol-session.ts";
import { V1Session } from "./v1-session.ts";

export type { AgentOptions } from "./agent-connection.ts";

/** Starts the agent; call initialize next. Throws AcpClientError PROTOCOL_UNKNOWN before it starts anything. */
export function startAgent(options: AgentOptions, sink: AgentSink): AgentClient {
  const protocol: number = options.protocol;
  if (protocol !== 1) {
    throw new AcpClientError("PROTOCOL_UNKNOWN", `ACP version ${protocol} is not supported; use version 1`);
  }
  return new Client(new AgentConnection(options, sink, (link) => new V1Session(link)));
}

class Client implements AgentClient {
  readonly #connection: AgentConnection;
  readonly #session: ProtocolSession;

  constructor(connection: AgentConnection) {
    this.#connection = connection;
    this.#session = connection.session;
  }

  get pid(): number | undefined {
    return this.#connection.process.pid;
  }

  get processIdentity(): AgentProcess["identity"] {
    return this.#connection.process.identity;
  }

  get identity(): AgentIdentity | undefined {
    return this.#session.identity;
  }

  stderrTail(): string {
    return this.#connection.process.stderrTail();
  }

  initialize(done: Done<AgentIdentity>): void {
    const { ready, batches } = this.#connection;
    if (!ready.start()) throw new AcpClientError("INITIALIZED_TWICE", "initialize was already called");
    batches.ask(done, (tell) =>
      this.#session.initialize((outcome) => {
        tell(outcome);
        ready.settle(outcome.ok ? undefined : outcome.failure);
      }),
    );
  }

  open(request: OpenSessionParams, done: Done<OpenedSession>): void {
    this.#whenReady(done, (tell) => this.#session.open(request, tell));
  }

  prompt(blocks: readonly ContentBlock[], done: Done<PromptResult>): void {
    this.#whenReady(done, (tell) => this.#session.prompt(blocks, tell));
  }

  steer(blocks: readonly ContentBlock[], done: Done<SteeringOutcome>): void {
    this.#whenReady(done, (tell) => this.#session.steer(blocks, tell));
  }

  cancel(): void {
    this.#session.cancel();
  }

  setOption(option: string, value: string | boolean, done: Done<Pick<OpenedSession, "options">>): void {
    this.#whenReady(done, (tell) => this.#session.setOption(option, value, tell));
  }

  answer(request: RequestKey, answer: RequestAnswer): void {
    this.#session.answer(request, answer);
  }

  listSessions(cwd: string | undefined, done: Done<readonly SessionInfo[]>): void {
    this.#whenReady(done, (tell) => this.#session.listSessions(cwd, tell));
  }

  closeSession(done: Done<void>): void {
    this.#whenReady(done, (tell) => this.#session.closeSession(tell));
  }

  deleteSession(sessionId: string, done: Done<void>): void {
    this.#whenReady(done, (tell) => this.#session.deleteSession(sessionId, tell));
  }

  authenticate(methodId: string, done: Done<void>): void {
    this.#whenReady(done, (tell) => this.#session.authenticate(methodId, tell));
  }

  logout(done: Done<void>): void {
    this.#whenReady(done, (tell) => this.#session.logout(tell));
  }

  pause(): void {
    this.#connection.process.pause();
  }

  resume(): void {
    this.#connection.process.resume();
  }

  stop(): Promise<AgentExit> {
    return this.#connection.stop();
  }

  #whenReady<T>(done: Done<T>, ask: (tell: Done<T>) => void): void {
    const { ready, batches } = this.#connection;
    batches.ask(done, (tell) =>
      ready.pass((failure) => (failure === undefined ? ask(tell) : tell({ ok: false, failure }))),
    );
  }
}
