// SPDX-License-Identifier: MIT OR Apache-2.0
// What a v1 agent says and asks. Until session/new is answered, what belongs to a session is held back, since agents
// speak about a session before they have told its id.
import { findRepeatedName } from "../json/repeated-name.ts";
import { handlerOf } from "./client-side.ts";
import type { HeldMessages } from "./held-messages.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import { isRecord } from "../json/record.ts";
import { RPC } from "./jsonrpc/message.ts";
import { sampleOf } from "./jsonrpc/sample.ts";
import type { ElicitationAnswer, PermissionOutcome, RequestKey } from "./model.ts";
import { OpenElicitations } from "./open-questions.ts";
import { OpenPermissions } from "./open-questions.ts";
import type { AgentLink } from "./protocol-session.ts";
import { isIdentifier } from "./schema/lenient.ts";
import { decodeCompletedElicitation, decodeElicitation } from "./schema/v1/elicitation.ts";
import { decodePermissionRequest, whyNotAsked } from "./schema/v1/permission.ts";
import { elicitationResult, METHODS, permissionResult } from "./schema/v1/requests.ts";
import { decodeUpdate, extensionUpdate } from "./schema/v1/update.ts";
import type { DecodedUpdate } from "./schema/v1/update.ts";
import type { SessionOptions } from "./session-options.ts";

export type V1State =
  | { readonly state: "none" }
  | { readonly state: "opening"; readonly held: HeldMessages }
  | {
      readonly state: "open";
      readonly id: string;
      readonly options: SessionOptions;
      /** It is being brought back: messages, tool calls and plans are history. */
      readonly replaying?: true;
    };

const historyKinds: ReadonlySet<string> = new Set(["message", "tool_call", "plan", "compaction"]);

export class V1Inbound {
  readonly #link: AgentLink;
  readonly #state: () => V1State;
  readonly #permissions = new OpenPermissions();
  readonly #elicitations = new OpenElicitations();

  constructor(link: AgentLink, state: () => V1State) {
    this.#link = link;
    this.#state = state;
  }

  answerPermission(request: RequestKey, outcome: PermissionOutcome): void {
    this.#permissions.answer(request, outcome);
  }

  answerElicitation(request: RequestKey, answer: ElicitationAnswer): void {
    this.#elicitations.answer(request, answer);
  }

  onNotification(method: string, params: unknown, line: string, bytes: Buffer | undefined): void {
    if (method === METHODS.update) {
      this.#onUpdate(params, line, bytes);
      return;
    }
    // Notifications of the protocol itself that are not known are ignored; so is the end of what nobody was asked to open.
    if (method.startsWith("$/") || (method === METHODS.elicitationComplete && !this.#isCompleted(params))) return;
    const name = sampleOf(method, 100);
    this.#link.emit({ type: "update", update: { kind: "extension", method: name, data: params } });
  }

  onRequest(request: IncomingRequest): void {
    const state = this.#state();
    const { params } = request;
    const ofSession = isRecord(params) && typeof params["sessionId"] === "string";
    if (state.state === "opening" && ofSession) {
      this.#hold(state.held, request.size, () => this.onRequest(request), request);
      return;
    }
    // It was held back, and taken back meanwhile.
    if (request.settled) return;
    if (request.method === METHODS.requestPermission) this.#onPermission(request);
    else if (request.method === METHODS.elicitationCreate) this.#onElicitation(request);
    else this.#onClientSide(request);
  }

  /** Questions can be taken back in time, and what its handler lets be taken back; whatever else is asked gets its answer. */
  onCancelRequest(request: IncomingRequest): void {
    const { method, key } = request;
    const isPermission = method === METHODS.requestPermission;
    if (!isPermission && method !== METHODS.elicitationCreate) {
      handlerOf(this.#link.clientSide, method)?.withdraw?.(request);
      return;
    }
    const wasOpen = isPermission
      ? this.#permissions.withdraw(key)
      : this.#elicitations.answer(key, { action: "cancel" });
    if (wasOpen) this.#link.emit({ type: "withdrawn", request: key });
    else request.reply(isPermission ? permissionResult("cancelled") : elicitationResult({ action: "cancel" }));
  }

  #onUpdate(params: unknown, line: string, bytes?: Buffer): void {
    if (!isRecord(params) || typeof params["sessionId"] !== "string") {
      this.#link.fault("invalid-update", "A session/update has no session id");
      this.#link.emit({ type: "update", update: { kind: "extension", method: METHODS.update, data: params } });
      return;
    }
    const state = this.#state();
    switch (state.state) {
      case "opening":
        // Its text would be as much again to hold.
        this.#hold(state.held, line.length, () => this.#onUpdate(params, ""));
        return;
      case "none":
        this.#onForeignUpdate(params, params["sessionId"]);
        return;
      case "open":
        if (params["sessionId"] === state.id) this.#onOwnUpdate(params["update"], line, bytes, state.options);
        else this.#onForeignUpdate(params, params["sessionId"]);
    }
  }

  #onOwnUpdate(raw: unknown, line: string, bytes: Buffer | undefined, options: SessionOptions): void {
    const update = decodeUpdate(raw, line, bytes);
    if (update === undefined) {
      const kept = extensionUpdate(raw);
      this.#link.fault("invalid-update", "An update lacks what its kind requires; it was kept as it came");
      this.#link.emit({ type: "update", update: kept });
      return;
    }
    // What a tool call gets is what people are asked about.
    const isInput = update.kind === "tool_call" && update.call.rawInput !== undefined;
    if (isInput && findRepeatedName(line) !== undefined) {
      const message = "A tool call has two members of one name in one object: the last counts";
      this.#link.fault("repeated-member", message, line);
    }
    this.#emitUpdate(update, raw, options);
  }

  #emitUpdate(update: DecodedUpdate, raw: unknown, options: SessionOptions): void {
    if (update.kind === "config_options") {
      options.configIs(update.options);
      this.#emitOptions(options, update.meta);
    } else if (update.kind === "current_mode") {
      if (options.modeIs(update.modeId)) this.#emitOptions(options, update.meta);
      else this.#link.emit({ type: "update", update: extensionUpdate(raw) });
    } else {
      const state = this.#state();
      const isHistory = state.state === "open" && state.replaying === true && historyKinds.has(update.kind);
      this.#link.emit({ type: "update", update, ...(isHistory ? { replay: true as const } : {}) });
    }
  }

  #emitOptions(options: SessionOptions, meta: unknown): void {
    const update = { kind: "options", options: options.list() } as const;
    this.#link.emit({ type: "update", update: meta === undefined ? update : { ...update, meta } });
  }

  /** A sub-agent's, or nonsense. It is logged as it came; what it says of a tool call, a question may be about. */
  #onForeignUpdate(params: Readonly<Record<string, unknown>>, sessionId: string): void {
    this.#link.fault("foreign-session", "An update came for a session that was never opened", sessionId);
    const update = { kind: "extension", method: METHODS.update, data: params } as const;
    const said = isIdentifier(sessionId) ? decodeUpdate(params["update"]) : undefined;
    const about = said?.kind === "tool_call" ? { agentSession: sessionId, call: said.call } : undefined;
    this.#link.emit({ type: "update", update, ...(about === undefined ? {} : { about }) });
  }

  #onPermission(request: IncomingRequest): void {
    const asked = decodePermissionRequest(request.params);
    if (asked === undefined) {
      this.#link.fault("invalid-permission", "A permission request lacks what it requires; it was refused");
      request.refuse({ code: RPC.invalidParams, message: "Invalid params of session/request_permission" });
      return;
    }
    const state = this.#state();
    if (state.state !== "open") {
      const title = asked.toolCall.title ?? "without a title";
      this.#refused("A permission was asked while no session is open; it was cancelled", title, asked.sessionId);
      // It must be answered, or the agent would wait for ever; and nobody can say yes for it.
      request.reply(permissionResult("cancelled"));
      return;
    }
    const why = whyNotAsked(asked, this.#link.limits.permissionOptionsCharactersMax);
    if (why !== undefined) {
      this.#link.fault("invalid-permission", `A permission request was refused: ${why}`);
      request.refuse({ code: RPC.invalidParams, message: `Invalid params of session/request_permission: ${why}` });
      return;
    }
    this.#permissions.add(request, asked.options);
    const { toolCall, options, sessionId } = asked;
    this.#link.emit({ type: "permission", request: request.key, toolCall, options, ...otherThan(state.id, sessionId) });
  }

  #onClientSide(request: IncomingRequest): void {
    const { clientSide } = this.#link;
    const handler = handlerOf(clientSide, request.method);
    if (handler === undefined) {
      request.refuse({ code: RPC.methodNotFound, message: `Method not found: ${sampleOf(request.method, 100)}` });
      return;
    }
    const params = isRecord(request.params) ? request.params : {};
    const { sessionId } = params;
    const state = this.#state();
    // A sub-agent's files and commands are not known to be this session's: its directories are others', perhaps.
    if (sessionId !== undefined && (state.state !== "open" || sessionId !== state.id)) {
      const subject = params["path"] ?? params["command"] ?? params["terminalId"];
      const what = typeof subject === "string" ? `${request.method} ${subject}` : request.method;
      const message = "Files or a terminal were asked for under a session id that was never opened; it was refused";
      this.#refused(message, what, sessionId);
      request.refuse({ code: RPC.resourceNotFound, message: "Unknown session", data: { sessionId } });
      return;
    }
    this.#link.heard();
    handler.serve(request);
  }

  #onElicitation(request: IncomingRequest): void {
    const { clientSide, limits } = this.#link;
    const params = isRecord(request.params) ? request.params : {};
    const modes: readonly unknown[] | undefined = clientSide.elicitation?.modes;
    const state = this.#state();
    if (modes === undefined) {
      request.refuse({ code: RPC.methodNotFound, message: "Method not found: elicitation/create" });
      return;
    }
    if (!modes.includes(params["mode"])) {
      request.refuse({ code: RPC.invalidParams, message: "This mode of elicitation is not offered" });
      return;
    }
    const { sessionId } = params;
    if (sessionId !== undefined && state.state !== "open") {
      const { message } = params;
      const what = typeof message === "string" ? message : "without a message";
      this.#refused("An elicitation came while no session is open; it was refused", what, sessionId);
      request.refuse({ code: RPC.resourceNotFound, message: "Unknown session", data: { sessionId } });
      return;
    }
    const asked = request.size > limits.elicitationCharactersMax ? undefined : decodeElicitation(params);
    if (asked === undefined) {
      this.#link.fault("invalid-elicitation", "An elicitation lacks what it requires, or is too long; it was refused");
      const message =
        "Invalid params of elicitation/create: a session, a message, and a form or a web address are needed";
      request.refuse({ code: RPC.invalidParams, message });
      return;
    }
    this.#elicitations.add(request, asked);
    const other = state.state === "open" && typeof sessionId === "string" ? otherThan(state.id, sessionId) : {};
    this.#link.emit({ type: "elicitation", request: request.key, asked, ...other });
  }

  /** Told apart from updates, which come in floods: of one kind, the first of each read of the pipe has its words told. */
  #refused(message: string, what: string, sessionId: unknown): void {
    this.#link.fault("foreign-request", message, `${what} (session ${JSON.stringify(sessionId)})`);
  }

  #isCompleted(params: unknown): boolean {
    const id = decodeCompletedElicitation(params);
    return id !== undefined && this.#elicitations.complete(id);
  }

  #hold(held: HeldMessages, characters: number, deliver: () => void, request?: IncomingRequest): void {
    if (held.hold(characters, deliver)) return;
    this.#link.fault("overflow", "More came before the answer to session/new than is held back; it was dropped");
    request?.refuse({ code: RPC.internalError, message: "Too much came before session/new was answered" });
  }
}

/** The session that something was asked under, where it is not the one that is open. */
function otherThan(own: string, asked: string): { readonly agentSession?: string } {
  return asked === own ? {} : { agentSession: asked };
}
