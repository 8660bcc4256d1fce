// SPDX-License-Identifier: MIT OR Apache-2.0
// The requests of ACP v1 that the client sends. What the agent sends is handled in v1-inbound.ts.
import type { Done, OpenedSession, Outcome, PromptResult } from "./agent-events.ts";
import type { OpenSessionParams, SessionInfo } from "./agent-client.ts";
import { failed, succeeded } from "./failure.ts";
import { HeldMessages } from "./held-messages.ts";
import { RPC } from "./jsonrpc/message.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { AgentIdentity, AuthMethod, ContentBlock, RequestAnswer, RequestKey, SteeringOutcome } from "./model.ts";
import { checkOpenParams } from "./open-session-params.ts";
import { toSupportedBlocks } from "./prompt-blocks.ts";
import type { AgentLink, ProtocolSession } from "./protocol-session.ts";
import { Replay } from "./replay.ts";
import { identifierCharactersMax } from "./schema/lenient.ts";
import * as requests from "./schema/v1/requests.ts";
import * as results from "./schema/v1/results.ts";
import { SessionOptions } from "./session-options.ts";
import { V1Inbound, type V1State } from "./v1-inbound.ts";
import { checkVersion } from "./v1-version.ts";

const { METHODS } = requests;

export class V1Session implements ProtocolSession {
  identity: AgentIdentity | undefined;
  readonly #link: AgentLink;
  readonly #inbound: V1Inbound;
  #state: V1State = { state: "none" };
  #closed = false;

  constructor(link: AgentLink) {
    this.#link = link;
    this.#inbound = new V1Inbound(link, () => this.#state);
  }

  initialize(done: Done<AgentIdentity>): void {
    const { clientInfo, clientSide, limits } = this.#link;
    const params = requests.initializeParams(clientInfo, clientSide);
    this.#link.request(METHODS.initialize, params, limits.initializeTimeoutMs, (answer) => {
      const checked = checkVersion(answer, this.#link);
      if (checked.ok) this.identity = checked.value;
      done(checked);
    });
  }

  open(request: OpenSessionParams, done: Done<OpenedSession>): void {
    const refusal = this.#checkOpen(request);
    if (refusal !== undefined) return done(failed("UNSUPPORTED", refusal));
    if (request.how === "new") this.#openNew(request, done);
    else this.#restore(request.how, request, request.sessionId, done);
  }

  prompt(blocks: readonly ContentBlock[], done: Done<PromptResult>): void {
    const sessionId = this.#requireSession(done);
    if (sessionId === undefined || this.identity === undefined) return;
    const adapted = toSupportedBlocks(blocks, this.identity.capabilities);
    if (adapted.type === "refused") return done(failed("UNSUPPORTED", adapted.message));
    this.#afterReplay(done, () => {
      this.#link.request(METHODS.prompt, { sessionId, prompt: adapted.blocks }, undefined, (answer) => {
        done(this.#decode(answer, METHODS.prompt, "a stop reason", results.decodePromptResult));
      });
    });
  }

  /** Sends the first prompt after session/load when the replay is complete, unless it is cancelled meanwhile. */
  #afterReplay(done: Done<PromptResult>, send: () => void): void {
    const state = this.#state;
    if (state.state !== "open" || state.replay === undefined) return send();
    const { id, options } = state;
    const sendFirst = (): void => {
      this.#state = { state: "open", id, options };
      send();
    };
    state.replay.thenRun(sendFirst, () => done(succeeded({ stopReason: "cancelled" })));
  }

  steer(blocks: readonly ContentBlock[], done: Done<SteeringOutcome>): void {
    const sessionId = this.#requireSession(done);
    if (sessionId === undefined || this.identity === undefined) return;
    if (!this.identity.capabilities.steering)
      return done(failed("UNSUPPORTED", `This agent does not support ${requests.STEERING}`));
    const adapted = toSupportedBlocks(blocks, this.identity.capabilities);
    if (adapted.type === "refused") return done(failed("UNSUPPORTED", adapted.message));
    if (this.#state.state === "open" && this.#state.replay?.isHolding === true)
      return done(failed("UNSUPPORTED", "The prompt of the running turn has not been sent yet: history still comes"));
    const params = requests.steeringParams(sessionId, adapted.blocks);
    this.#link.request(requests.STEERING, params, this.#link.limits.requestTimeoutMs, (answer) => {
      done(this.#decode(answer, requests.STEERING, "an outcome", results.decodeSteeringOutcome));
    });
  }

  cancel(): void {
    if (this.#state.state !== "open") return;
    if (this.#state.replay?.cancel() !== true) this.#link.notify(METHODS.cancel, { sessionId: this.#state.id });
  }

  setOption(option: string, value: string | boolean, done: Done<Pick<OpenedSession, "options">>): void {
    if (this.#state.state !== "open") return done(failed("UNSUPPORTED", "No session is open"));
    const { id, options } = this.#state;
    const change = options.planChange(option, value);
    if (change.type === "refused") return done(failed("UNSUPPORTED", change.message));
    const [method, params] = requests.setOptionRequest(id, option, change);
    this.#link.request(method, params, this.#link.limits.requestTimeoutMs, (answer) => {
      if (!answer.ok) return done(answer);
      if (change.type === "config") this.#afterConfigChange(options, option, change.value, answer.value);
      else options.setCurrent(change.type, change.id);
      done(succeeded({ options: options.list() }));
    });
  }

  answer(request: RequestKey, answer: RequestAnswer): void {
    this.#inbound.answer(request, answer);
  }

  listSessions(cwd: string | undefined, done: Done<readonly SessionInfo[]>): void {
    if (!this.identity?.capabilities.list)
      return done(failed("UNSUPPORTED", "This agent does not support session/list"));
    this.#listPage(cwd, undefined, { sessions: [], cursors: new Set() }, done);
  }

  get isOpening(): boolean {
    return this.#state.state === "opening" || (this.#state.state === "open" && this.#state.restoring === true);
  }

  get canClose(): boolean {
    return this.#state.state === "open" && !this.#closed && this.identity?.capabilities.close === true;
  }

  closeSession(done: Done<void>): void {
    const sessionId = this.#requireSession(done);
    if (sessionId === undefined) return;
    if (!this.identity?.capabilities.close)
      return done(failed("UNSUPPORTED", "This agent does not support session/close"));
    this.#link.request(METHODS.close, { sessionId }, this.#link.limits.closeTimeoutMs, (answer) => {
      const closed = acceptNotFound(answer);
      this.#closed ||= closed.ok;
      done(closed);
    });
  }

  deleteSession(sessionId: string, done: Done<void>): void {
    if (!this.identity?.capabilities.delete)
      return done(failed("UNSUPPORTED", "This agent does not support session/delete"));
    const { requestTimeoutMs } = this.#link.limits;
    this.#link.request(METHODS.delete, { sessionId }, requestTimeoutMs, (answer) => done(acceptNotFound(answer)));
  }

  authenticate(methodId: string, done: Done<void>): void {
    const method = this.identity?.authMethods.find((known) => known.id === methodId);
    if (method?.type !== "agent") {
      done(failed("UNSUPPORTED", `The login method "${methodId}" ${notForTheAgent(method)}`));
      return;
    }
    const { requestTimeoutMs } = this.#link.limits;
    this.#link.request(METHODS.authenticate, { methodId }, requestTimeoutMs, (answer) => done(discardValue(answer)));
  }

  logout(done: Done<void>): void {
    if (!this.identity?.capabilities.logout) return done(failed("UNSUPPORTED", "This agent does not support logout"));
    this.#link.request(METHODS.logout, {}, this.#link.limits.requestTimeoutMs, (answer) => done(discardValue(answer)));
  }

  onNotification(method: string, params: unknown, line: string): void {
    this.#inbound.onNotification(method, params, line);
  }

  onRequest(request: IncomingRequest): void {
    this.#inbound.onRequest(request);
  }

  onCancelRequest(request: IncomingRequest): void {
    this.#inbound.onCancelRequest(request);
  }

  onClosed(): void {
    if (this.#state.state === "open") this.#state.replay?.end();
  }

  #openNew(request: OpenSessionParams, done: Done<OpenedSession>): void {
    const held = new HeldMessages(this.#link.limits);
    this.#state = { state: "opening", held };
    const { openTimeoutMs } = this.#link.limits;
    this.#link.request(METHODS.newSession, requests.openParams(request), openTimeoutMs, (answer) => {
      done(this.#onOpened(answer));
      held.release();
    });
  }

  /** Opens the session at once, since its id is known. What comes before the response is history, and after a load too. */
  #restore(how: "load" | "resume", request: OpenSessionParams, sessionId: string, done: Done<OpenedSession>): void {
    const options = new SessionOptions({}, []);
    this.#state = { state: "open", id: sessionId, options, restoring: true };
    this.#link.request(METHODS[how], requests.openParams(request), this.#link.limits.openTimeoutMs, (answer) => {
      if (!answer.ok) {
        // The caller may try another method.
        this.#state = { state: "none" };
        done(answer);
        return;
      }
      const restored = results.decodeRestoredSession(answer.value);
      const settled = new SessionOptions(
        { mode: restored.modes, model: restored.models },
        restored.options.length > 0 ? restored.options : options.list(),
      );
      this.#state = { state: "open", id: sessionId, options: settled, ...(how === "load" ? this.#beginReplay() : {}) };
      done(succeeded({ sessionId, options: settled.list() }));
    });
  }

  #beginReplay(): { readonly replay: Replay } {
    const { replayQuietMs: quietMs, replayWaitMsMax: waitMsMax } = this.#link.limits;
    const after = (ms: number, run: () => void) => this.#link.after(ms, run);
    const onComplete = () => this.#link.emit({ type: "replayed" });
    return { replay: new Replay({ quietMs, waitMsMax, onComplete, after }) };
  }

  #checkOpen(request: OpenSessionParams): string | undefined {
    const offered = this.identity?.capabilities;
    if (offered === undefined || this.#state.state !== "none")
      return "A client can open only one session, after initialize";
    return checkOpenParams(request, offered);
  }

  #onOpened(answer: Outcome<unknown>): Outcome<OpenedSession> {
    const opened = this.#decode(
      answer,
      METHODS.newSession,
      `a session id of at most ${identifierCharactersMax} characters`,
      results.decodeNewSession,
    );
    if (!opened.ok) {
      this.#state = { state: "none" };
      return opened;
    }
    const { sessionId, modes, models } = opened.value;
    const options = new SessionOptions({ mode: modes, model: models }, opened.value.options);
    this.#state = { state: "open", id: sessionId, options };
    return succeeded({ sessionId, options: options.list() });
  }

  #afterConfigChange(options: SessionOptions, option: string, value: string | boolean, result: unknown): void {
    const replacement = results.decodeOptionsAfterChange(result);
    if (replacement === undefined) options.setConfigValue(option, value);
    else options.replaceConfig(replacement);
  }

  #listPage(
    cwd: string | undefined,
    cursor: string | undefined,
    found: { readonly sessions: SessionInfo[]; readonly cursors: Set<string> },
    done: Done<readonly SessionInfo[]>,
  ): void {
    const { requestTimeoutMs, listPagesMax } = this.#link.limits;
    this.#link.request(METHODS.list, requests.listParams(cwd, cursor), requestTimeoutMs, (answer) => {
      const page = this.#decode(answer, METHODS.list, "a list", results.decodeSessionPage);
      if (!page.ok) return done(page);
      for (const session of page.value.sessions) found.sessions.push(session);
      const next = page.value.nextCursor;
      if (next === undefined || found.cursors.has(next) || found.cursors.size + 1 >= listPagesMax)
        return done(succeeded(found.sessions));
      found.cursors.add(next);
      this.#listPage(cwd, next, found, done);
    });
  }

  /** Returns the id of the open session. Without one, calls `done` with a failure. */
  #requireSession(done: Done<never>): string | undefined {
    if (this.#state.state === "open") return this.#state.id;
    done(failed("UNSUPPORTED", "No session is open"));
    return undefined;
  }

  #decode<T>(
    answer: Outcome<unknown>,
    method: string,
    needed: string,
    decodeResult: (result: unknown) => T | undefined,
  ): Outcome<T> {
    if (!answer.ok) return answer;
    const value = decodeResult(answer.value);
    if (value !== undefined) return succeeded(value);
    return { ok: false, failure: this.#link.protocolFailure(`answered ${method} without ${needed}`) };
  }
}

function notForTheAgent(method: AuthMethod | undefined): string {
  if (method === undefined) return "is not offered by this agent";
  if (method.type === "terminal") return "must be done in a terminal, not through the agent";
  return `needs ${method.variables?.join(", ") ?? "a variable"} in the agent's environment`;
}

/** Treats -32002 (not found) as success: the session is gone, as requested. */
function acceptNotFound(answer: Outcome<unknown>): Outcome<void> {
  if (!answer.ok && answer.failure.rpc?.code === RPC.resourceNotFound) return succeeded(undefined);
  return discardValue(answer);
}

function discardValue(answer: Outcome<unknown>): Outcome<void> {
  return answer.ok ? succeeded(undefined) : answer;
}
