// SPDX-License-Identifier: MIT OR Apache-2.0
// The client of one agent: its process, its lines, request timeouts, and the order in which everything reaches the
// sink. What depends on the version of ACP is in ProtocolSession.
import type { AgentClient, AgentSink, OpenSessionParams, SessionInfo } from "./agent-client.ts";
import type {
  AgentEvent,
  AgentFailure,
  Done,
  Outcome,
  OpenedSession,
  PromptResult,
  AgentExit,
} from "./agent-events.ts";
import { startAgentProcess } from "./process/start-agent-process.ts";
import type { AgentProcess, AgentProcessOptions } from "./process/agent-process.ts";
import { EventBatches } from "./event-batches.ts";
import { AcpClientError } from "./client-error.ts";
import { clientLimits } from "./client-limits.ts";
import type { ClientLimits } from "./client-limits.ts";
import type { ClientSide } from "./client-side.ts";
import { exitFailure, protocolFailure, rpcFailure, openingFailure } from "./failure.ts";
import { redactError, redactEvent, redactExit, redactAuthMethods, redactSample, type Redact } from "./redaction.ts";
import { LineSplitter } from "./jsonrpc/line-splitter.ts";
import { Peer } from "./jsonrpc/peer.ts";
import type { RequestOutcome } from "./jsonrpc/peer.ts";
import type {
  AgentIdentity,
  AuthMethod,
  ContentBlock,
  ElicitationAnswer,
  PermissionOutcome,
  RequestKey,
} from "./model.ts";
import type { AgentLink, ProtocolSession } from "./protocol-session.ts";
import { ReadyGate } from "./ready-gate.ts";
import type { ClientInfo } from "./schema/v1/requests.ts";
import { V1Session } from "./v1-session.ts";

export interface AgentOptions extends AgentProcessOptions {
  /** The version of ACP. */
  readonly protocol: 1;
  /** Sent to the agent in initialize. */
  readonly clientInfo: ClientInfo;
  /** Client-side requests that are served. Default: none. */
  readonly clientSide?: ClientSide;
  readonly limits?: Partial<ClientLimits>;
  /** Replaces the start of a real process. */
  readonly start?: (options: AgentProcessOptions) => AgentProcess;
  /** Calls `run` once after `ms`, unless the returned function is called first. Default: setTimeout. */
  readonly setTimer?: (run: () => void, ms: number) => () => void;
}

/** Starts the agent; call initialize next. Throws AcpClientError PROTOCOL_UNKNOWN before it starts anything. */
export function startAgent(options: AgentOptions, sink: AgentSink): AgentClient {
  const protocol: number = options.protocol;
  if (protocol !== 1) {
    throw new AcpClientError("PROTOCOL_UNKNOWN", `ACP version ${protocol} is not supported; use version 1`);
  }
  return new Client(options, sink, (link) => new V1Session(link));
}

class Client implements AgentClient {
  readonly #options: AgentOptions;
  readonly #limits: ClientLimits;
  readonly #setTimer: (run: () => void, ms: number) => () => void;
  readonly #redact: Redact;
  readonly #batches: EventBatches;
  readonly #process: AgentProcess;
  readonly #splitter: LineSplitter;
  readonly #peer: Peer;
  readonly #session: ProtocolSession;
  readonly #ready = new ReadyGate();
  #identity: AgentIdentity | undefined;
  /** The failure that made the connection unusable. */
  #closedBy: AgentFailure | undefined;
  #stopping: Promise<AgentExit> | undefined;

  constructor(options: AgentOptions, sink: AgentSink, createSession: (link: AgentLink) => ProtocolSession) {
    this.#options = options;
    this.#limits = { ...clientLimits, ...options.limits };
    this.#setTimer = options.setTimer ?? startTimer;
    this.#batches = new EventBatches(sink);
    this.#session = createSession(this.#link());
    this.#redact = options.redact ?? ((text) => text);
    this.#peer = new Peer({
      write: (line, written) => this.#write(line, written),
      handler: this.#peerHandler(),
      limits: this.#limits,
      redact: this.#redact,
    });
    this.#splitter = new LineSplitter({
      lineBytesMax: this.#limits.lineBytesMax,
      onLine: (line, bytes) => this.#peer.receive(line, bytes),
      onOverlong: () =>
        this.#break("line-too-long", `wrote a line of more than ${this.#limits.lineBytesMax} bytes on its stdout`),
      onUtf16: () => this.#break("utf-16", "writes UTF-16 on its stdout; ACP is UTF-8"),
    });
    this.#process = (options.start ?? startAgentProcess)(options);
    this.#process.onStdout((chunk) => this.#batches.run(() => this.#splitter.push(chunk)));
    this.#process.onStdinGone(() =>
      this.#break("stdin-closed", "closed its stdin but keeps running, so it cannot be reached"),
    );
    this.#process.onExit((exit) => this.#batches.run(() => this.#onExit(exit)));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get processIdentity(): AgentProcess["identity"] {
    return this.#process.identity;
  }

  get identity(): AgentIdentity | undefined {
    return this.#identity;
  }

  stderrTail(): string {
    return this.#process.stderrTail();
  }

  initialize(done: Done<AgentIdentity>): void {
    if (!this.#ready.start()) throw new AcpClientError("INITIALIZED_TWICE", "initialize was already called");
    this.#batches.ask(done, (tell) =>
      this.#session.initialize((outcome) => {
        if (outcome.ok) this.#identity = outcome.value;
        tell(outcome);
        this.#ready.settle(outcome.ok ? undefined : outcome.failure);
      }),
    );
  }

  open(request: OpenSessionParams, done: Done<OpenedSession>): void {
    this.#whenReady(done, (tell) => this.#session.open(request, tell));
  }

  prompt(blocks: readonly ContentBlock[], done: Done<PromptResult>): void {
    this.#whenReady(done, (tell) => this.#session.prompt(blocks, tell));
  }

  cancel(): void {
    this.#session.cancel();
  }

  setOption(option: string, value: string | boolean, done: Done<Pick<OpenedSession, "options">>): void {
    this.#whenReady(done, (tell) => this.#session.setOption(option, value, tell));
  }

  answerPermission(request: RequestKey, outcome: PermissionOutcome): void {
    this.#session.answerPermission(request, outcome);
  }

  answerElicitation(request: RequestKey, answer: ElicitationAnswer): void {
    this.#session.answerElicitation(request, answer);
  }

  listSessions(cwd: string | undefined, done: Done<readonly SessionInfo[]>): void {
    this.#whenReady(done, (tell) => this.#session.listSessions(cwd, tell));
  }

  closeSession(done: Done<void>): void {
    this.#whenReady(done, (tell) => this.#session.closeSession(this.#limits.closeTimeoutMs, tell));
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
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }

  stop(): Promise<AgentExit> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<AgentExit> {
    // A paused agent's response to session/close could not be read.
    this.#process.resume();
    if (this.#closedBy === undefined && this.#session.canClose) {
      await this.#process.rememberTree();
      await new Promise<void>((resolve) => {
        this.#session.closeSession(this.#limits.closeTimeoutMs, () => resolve());
      });
    }
    // An agent that never answered initialize has nothing to finish, so it gets no grace period.
    const limits = this.#identity === undefined ? { ...this.#limits.stop, stdinGraceMs: 0 } : this.#limits.stop;
    return await this.#process.stop(limits);
  }

  #whenReady<T>(done: Done<T>, ask: (tell: Done<T>) => void): void {
    this.#batches.ask(done, (tell) =>
      this.#ready.pass((failure) => (failure === undefined ? ask(tell) : tell({ ok: false, failure }))),
    );
  }

  #link(): AgentLink {
    return {
      limits: this.#limits,
      clientInfo: this.#options.clientInfo,
      clientSide: this.#options.clientSide ?? {},
      request: (method, params, timeoutMs, done) => this.#request(method, params, timeoutMs, done),
      notify: (method, params) => this.#peer.notify(method, params),
      emit: (event) => this.#emit(event),
      noteDelivery: () => this.#batches.noteDelivery(),
      fault: (fault, message, sample) => this.#fault(fault, message, sample),
      protocolFailure: (what) => protocolFailure(this.#agent(), this.#redact(what)),
    };
  }

  #peerHandler(): ConstructorParameters<typeof Peer>[0]["handler"] {
    return {
      onNotification: (method, params, line, bytes) => this.#session.onNotification(method, params, line, bytes),
      onRequest: (request) => this.#session.onRequest(request),
      onCancelRequest: (request) => this.#session.onCancelRequest(request),
      onFault: (fault, message, sample) => this.#batches.fault(fault, message, sample),
      onBroken: (message) => this.#break("only-noise", `does not speak ACP: ${message}`),
    };
  }

  #request(method: string, params: object, timeoutMs: number | undefined, done: Done<unknown>): void {
    let cancelTimer: (() => void) | undefined;
    const id = this.#peer.request(method, params, (answer) => {
      cancelTimer?.();
      done(this.#toOutcome(method, answer));
    });
    if (timeoutMs === undefined || this.#closedBy !== undefined) return;
    cancelTimer = this.#setTimer(() => {
      this.#batches.run(() => {
        if (method !== "initialize") this.#peer.cancelRequest(id);
        this.#peer.abandon(id);
        done({ ok: false, failure: this.#timeoutFailure(method, timeoutMs) });
      });
    }, timeoutMs);
  }

  #toOutcome(method: string, answer: RequestOutcome): Outcome<unknown> {
    switch (answer.type) {
      case "result":
        return { ok: true, value: answer.result };
      case "error": {
        const error = redactError(answer.error, this.#redact);
        return { ok: false, failure: rpcFailure(method, error, this.#authMethods(), this.#limits) };
      }
      case "malformed":
        return {
          ok: false,
          failure: protocolFailure(this.#agent(), `answered ${method} with ${answer.what}`),
        };
      case "closed":
        return { ok: false, failure: this.#closedBy ?? protocolFailure(this.#agent(), "can no longer be reached") };
    }
  }

  #timeoutFailure(method: string, timeoutMs: number): AgentFailure {
    const what = `did not answer ${method} within ${timeoutMs} ms`;
    return this.#session.isOpening
      ? openingFailure(this.#agent(), what, this.#authMethods())
      : protocolFailure(this.#agent(), what);
  }

  #authMethods(): readonly AuthMethod[] {
    return redactAuthMethods(this.#identity?.authMethods ?? [], this.#redact);
  }

  #write(line: string, written?: () => void): void {
    if (this.#closedBy !== undefined) return;
    this.#process.write(`${line}\n`, written);
    if (this.#process.writableBytes <= this.#limits.writableBytesMax) return;
    this.#break("stdin-full", `does not read its stdin: ${this.#limits.writableBytesMax} bytes are waiting`);
  }

  /** Gives up the connection: pending requests fail, later lines are ignored, and the process is ended. */
  #break(fault: string, what: string): void {
    if (this.#closedBy !== undefined) return;
    const failure = protocolFailure(this.#agent(), what);
    this.#closedBy = failure;
    this.#batches.defer(() => {
      this.#batches.fault(fault, failure.message);
      this.#batches.flushFaults();
      this.#emit({ type: "broken", failure });
      this.#ready.settle(failure);
      this.#peer.close();
      void this.stop();
    });
  }

  #onExit(ended: AgentExit): void {
    const exit = redactExit(ended, this.#redact);
    this.#splitter.end();
    this.#closedBy ??= exitFailure(this.#agent(), exit);
    this.#peer.close();
    this.#ready.settle(this.#closedBy);
    this.#batches.flushFaults();
    this.#emit({ type: "exited", exit, stderrTail: this.#process.stderrTail() });
  }

  #fault(fault: string, message: string, sample: string | undefined): void {
    const { sampleCharactersMax } = this.#limits;
    this.#batches.fault(fault, message, sample && redactSample(sample, sampleCharactersMax, this.#redact));
  }

  #emit(event: AgentEvent): void {
    this.#batches.emit(redactEvent(event, this.#redact));
  }

  #agent(): { command: string; stderrTail: () => string } {
    return { command: this.#redact(this.#options.command.join(" ")), stderrTail: () => this.#process.stderrTail() };
  }
}

function startTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
