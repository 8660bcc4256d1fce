// SPDX-License-Identifier: MIT OR Apache-2.0
// The connection to one agent: its process, its lines, JSON-RPC, request timeouts, and how all that ends. What depends on
// the version of ACP is in ProtocolSession.
import type { AgentSink } from "./agent-client.ts";
import type { AgentEvent, AgentFailure, Done, Outcome, AgentExit } from "./agent-events.ts";
import { clientLimits, type ClientLimits } from "./client-limits.ts";
import type { ClientSide } from "./client-side.ts";
import type { ClientQuirks } from "./client-quirks.ts";
import { EventBatches } from "./event-batches.ts";
import {
  exitFailure,
  type FailingAgent,
  type LoginAdvice,
  type LoginNeeds,
  openingFailure,
  protocolFailure,
  rpcFailure,
} from "./failure.ts";
import { LineSplitter } from "./jsonrpc/line-splitter.ts";
import { Peer, type RequestOutcome } from "./jsonrpc/peer.ts";
import type { AgentInfo, AuthMethod } from "./model.ts";
import type { AgentProcess, AgentProcessOptions } from "./process/agent-process.ts";
import { startAgentProcess } from "./process/start-agent-process.ts";
import type { AgentLink, ProtocolSession } from "./protocol-session.ts";
import { redactError, redactEvent, redactExit, redactAuthMethods, redactSample, type Redact } from "./redaction.ts";
import type { ClientInfo } from "./schema/v1/requests.ts";

export interface AgentOptions extends AgentProcessOptions {
  /** The version of ACP. */
  readonly protocol: 1;
  /** Sent to the agent in initialize. */
  readonly clientInfo: ClientInfo;
  /** For failures that need a login: the agent's name, and how a person logs in to it. */
  readonly login?: LoginAdvice;
  /** Client-side requests that are served. Default: none. */
  readonly clientSide?: ClientSide;
  readonly limits?: Partial<ClientLimits>;
  /** The agent's quirks, by what it calls itself in its response to initialize. Default: none. */
  readonly quirksOf?: (info: AgentInfo | null) => ClientQuirks;
  /** Replaces the start of a real process. */
  readonly start?: (options: AgentProcessOptions) => AgentProcess;
  /** Calls `run` once after `ms`, unless the returned function is called first. Default: setTimeout. */
  readonly setTimer?: (run: () => void, ms: number) => () => void;
}

export class AgentConnection implements AgentLink {
  readonly limits: ClientLimits;
  readonly clientInfo: ClientInfo;
  readonly clientSide: ClientSide;
  readonly batches: EventBatches;
  readonly ready = new ReadyGate();
  readonly session: ProtocolSession;
  readonly process: AgentProcess;
  readonly #options: AgentOptions;
  readonly #redact: Redact;
  readonly #splitter: LineSplitter;
  readonly #peer: Peer;
  /** The failure that made the connection unusable. */
  #closedBy: AgentFailure | undefined;
  #stopping: Promise<AgentExit> | undefined;
  #quirks: ClientQuirks | undefined;

  constructor(options: AgentOptions, sink: AgentSink, createSession: (link: AgentLink) => ProtocolSession) {
    this.#options = options;
    this.limits = { ...clientLimits, ...options.limits };
    this.clientInfo = options.clientInfo;
    this.clientSide = options.clientSide ?? {};
    this.batches = new EventBatches(sink);
    this.session = createSession(this);
    this.#redact = options.redact ?? ((text) => text);
    this.#peer = new Peer({
      write: (line, written) => this.#write(line, written),
      handler: this.#peerHandler(),
      limits: this.limits,
      redact: this.#redact,
    });
    const { lineBytesMax } = this.limits;
    this.#splitter = new LineSplitter({
      lineBytesMax,
      onLine: (line) => this.#peer.receive(line),
      onOverlong: () => this.#break("line-too-long", `wrote a line of more than ${lineBytesMax} bytes on its stdout`),
      onUtf16: () => this.#break("utf-16", "writes UTF-16 on its stdout; ACP is UTF-8"),
    });
    this.process = (options.start ?? startAgentProcess)(options);
    this.process.onStdout((chunk) => this.batches.run(() => this.#splitter.push(chunk)));
    this.process.onStdinGone(() =>
      this.#break("stdin-closed", "closed its stdin but keeps running, so it cannot be reached"),
    );
    this.process.onExit((exit) => this.batches.run(() => this.#onExit(exit)));
  }

  request(method: string, params: object, timeoutMs: number | undefined, done: Done<unknown>): void {
    let cancelTimer: (() => void) | undefined;
    const id = this.#peer.request(method, params, (answer) => {
      cancelTimer?.();
      done(this.#toOutcome(method, answer));
    });
    if (timeoutMs === undefined || this.#closedBy !== undefined) return;
    cancelTimer = this.after(timeoutMs, () => {
      if (method !== "initialize") this.#peer.cancelRequest(id);
      this.#peer.abandon(id);
      done({ ok: false, failure: this.#timeoutFailure(method, timeoutMs) });
    });
  }

  notify(method: string, params: object): void {
    this.#peer.notify(method, params);
  }

  after(ms: number, run: () => void): () => void {
    const { setTimer = startTimer } = this.#options;
    return setTimer(() => this.batches.run(run), ms);
  }

  emit(event: AgentEvent): void {
    this.batches.emit(redactEvent(event, this.#redact));
  }

  get quirks(): ClientQuirks {
    const { identity } = this.session;
    if (identity === undefined) return {};
    this.#quirks ??= this.#options.quirksOf?.(identity.info) ?? {};
    return this.#quirks;
  }

  noteDelivery(): void {
    this.batches.noteDelivery();
  }

  fault(fault: string, message: string, sample?: string): void {
    const { sampleCharactersMax } = this.limits;
    this.batches.fault(fault, message, sample && redactSample(sample, sampleCharactersMax, this.#redact));
  }

  protocolFailure(what: string): AgentFailure {
    return protocolFailure(this.#agent(), this.#redact(what));
  }

  stop(): Promise<AgentExit> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<AgentExit> {
    // A paused agent's response to session/close could not be read.
    this.process.resume();
    if (this.#closedBy === undefined && this.session.canClose) {
      await this.process.rememberTree();
      await new Promise<void>((resolve) => this.session.closeSession(() => resolve()));
    }
    // An agent that never answered initialize has nothing to finish, so it gets no grace period.
    const stdinGraceMs = this.session.identity === undefined ? 0 : this.quirks.stopGraceMs;
    return await this.process.stop(
      stdinGraceMs === undefined ? this.limits.stop : { ...this.limits.stop, stdinGraceMs },
    );
  }

  #peerHandler(): ConstructorParameters<typeof Peer>[0]["handler"] {
    return {
      onNotification: (method, params, line) => this.session.onNotification(method, params, line),
      onRequest: (request) => this.session.onRequest(request),
      onCancelRequest: (request) => this.session.onCancelRequest(request),
      onFault: (fault, message, sample) => this.batches.fault(fault, message, sample),
      onBroken: (message) => this.#break("only-noise", `does not speak ACP: ${message}`),
    };
  }

  #toOutcome(method: string, answer: RequestOutcome): Outcome<unknown> {
    switch (answer.type) {
      case "result":
        return { ok: true, value: answer.result };
      case "error": {
        const error = redactError(answer.error, this.#redact);
        return { ok: false, failure: rpcFailure(method, error, this.#loginNeeds(), this.limits) };
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
    return this.session.isOpening
      ? openingFailure(this.#agent(), what, this.#authMethods())
      : protocolFailure(this.#agent(), what);
  }

  #loginNeeds(): LoginNeeds {
    const { login } = this.#options;
    return { methods: this.#authMethods(), ...login };
  }

  #authMethods(): readonly AuthMethod[] {
    return redactAuthMethods(this.session.identity?.authMethods ?? [], this.#redact);
  }

  #write(line: string, written?: () => void): void {
    if (this.#closedBy !== undefined) return;
    this.process.write(`${line}\n`, written);
    if (this.process.writableBytes <= this.limits.writableBytesMax) return;
    this.#break("stdin-full", `does not read its stdin: ${this.limits.writableBytesMax} bytes are waiting`);
  }

  /** Gives up the connection: pending requests fail, later lines are ignored, and the process is ended. */
  #break(fault: string, what: string): void {
    if (this.#closedBy !== undefined) return;
    const failure = protocolFailure(this.#agent(), what);
    this.#closedBy = failure;
    this.batches.defer(() => {
      this.batches.fault(fault, failure.message);
      this.batches.flushFaults();
      this.emit({ type: "broken", failure });
      this.ready.settle(failure);
      this.#close();
      void this.stop();
    });
  }

  #close(): void {
    this.#peer.close();
    this.session.onClosed();
  }

  #onExit(ended: AgentExit): void {
    const exit = redactExit(ended, this.#redact);
    this.#splitter.end();
    this.#closedBy ??= exitFailure(this.#agent(), exit);
    this.#close();
    this.ready.settle(this.#closedBy);
    this.batches.flushFaults();
    this.emit({ type: "exited", exit, stderrTail: this.process.stderrTail() });
  }

  #agent(): FailingAgent {
    return { command: this.#redact(this.#options.command.join(" ")), stderrTail: () => this.process.stderrTail() };
  }
}

function startTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Holds requests back until initialize is answered. If it failed, they fail with the same failure. */
class ReadyGate {
  #started = false;
  #settled: { readonly failure: AgentFailure | undefined } | undefined;
  readonly #waiting: ((failure: AgentFailure | undefined) => void)[] = [];

  /** Returns false if it was already started. A gate that failed before can still be started. */
  start(): boolean {
    const wasStarted = this.#started;
    this.#started = true;
    return this.#settled === undefined ? !wasStarted : this.#settled.failure !== undefined;
  }

  /** Releases the waiting requests. Only the first call has an effect. */
  settle(failure: AgentFailure | undefined): void {
    if (this.#settled !== undefined) return;
    this.#settled = { failure };
    for (const pass of this.#waiting.splice(0)) pass(failure);
  }

  pass(pass: (failure: AgentFailure | undefined) => void): void {
    if (this.#settled !== undefined) pass(this.#settled.failure);
    else this.#waiting.push(pass);
  }
}
