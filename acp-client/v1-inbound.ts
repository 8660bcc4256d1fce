// SPDX-License-Identifier: MIT OR Apache-2.0
// Notifications and requests of a v1 agent. Agents send messages about a session before they answer session/new with
// its id. Such messages are held back until then.
import { findRepeatedName } from "../json/repeated-name.ts";
import { findHandler } from "./client-side.ts";
import type { HeldMessages } from "./held-messages.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import { isRecord } from "../json/record.ts";
import { RPC } from "./jsonrpc/message.ts";
import { truncateText } from "./jsonrpc/sample.ts";
import type { RequestAnswer, RequestKey } from "./model.ts";
import { PendingRequests, UrlElicitations } from "./pending-requests.ts";
import type { Replay } from "./replay.ts";
import type { AgentLink } from "./protocol-session.ts";
import { isIdentifier } from "./schema/lenient.ts";
import { decodeCompletedElicitation, decodeElicitation } from "./schema/v1/elicitation.ts";
import { decodePermissionRequest, checkPermissionRequest } from "./schema/v1/permission.ts";
import { cancelledResult, elicitationResult, METHODS, permissionResult } from "./schema/v1/requests.ts";
import { decodeUpdate, extensionUpdate, type DecodedUpdate } from "./schema/v1/update.ts";
import type { SessionOptions } from "./session-options.ts";

export type V1State =
  | { readonly state: "none" }
  | { readonly state: "opening"; readonly held: HeldMessages }
  | {
      readonly state: "open";
      readonly id: string;
      readonly options: SessionOptions;
      /** Set until session/load or session/resume is answered: messages, tool calls and plans are history. */
      readonly restoring?: true;
      /** Set from the response to session/load to the first prompt: they still are history. */
      readonly replay?: Replay;
    };

const historyKinds: ReadonlySet<string> = new Set(["message", "tool_call", "plan", "compaction"]);

export class V1Inbound {
  readonly #link: AgentLink;
  readonly #state: () => V1State;
  readonly #pending = new PendingRequests();
  readonly #urlElicitations = new UrlElicitations();

  constructor(link: AgentLink, state: () => V1State) {
    this.#link = link;
    this.#state = state;
  }

  answer(request: RequestKey, answer: RequestAnswer): void {
    this.#pending.answer(request, answer);
  }

  onNotification(method: string, params: unknown, line: string): void {
    if (method === METHODS.update) return this.#onUpdate(params, line);
    // Ignored: unknown notifications of JSON-RPC itself, and the completion of an unknown URL elicitation.
    if (method.startsWith("$/") || (method === METHODS.elicitationComplete && !this.#isCompleted(params))) return;
    const name = truncateText(method, 100);
    this.#link.emit({ type: "update", update: { kind: "extension", method: name, data: params } });
  }

  onRequest(request: IncomingRequest): void {
    const state = this.#state();
    const { params } = request;
    const isForSession = isRecord(params) && typeof params["sessionId"] === "string";
    if (state.state === "opening" && isForSession)
      return this.#hold(state.held, request.size, () => this.onRequest(request), request);
    // The agent cancelled the request while it was held back.
    if (request.settled) return;
    if (request.method === METHODS.requestPermission) this.#onPermission(request);
    else if (request.method === METHODS.elicitationCreate) this.#onElicitation(request);
    else this.#onClientSide(request);
  }

  /** Cancels permissions, elicitations, and requests whose handler can withdraw them. Others are answered as usual. */
  onCancelRequest(request: IncomingRequest): void {
    const cancelled = cancelledResult(request.method);
    if (cancelled === undefined) return findHandler(this.#link.clientSide, request.method)?.withdraw?.(request);
    request.reply(cancelled);
    if (this.#pending.withdraw(request.key)) this.#link.emit({ type: "withdrawn", request: request.key });
  }

  #onUpdate(params: unknown, line: string): void {
    if (!isRecord(params) || typeof params["sessionId"] !== "string") {
      this.#link.fault("invalid-update", "A session/update has no session id");
      this.#link.emit({ type: "update", update: { kind: "extension", method: METHODS.update, data: params } });
      return;
    }
    const state = this.#state();
    switch (state.state) {
      case "opening":
        // Without its text, which would double the memory that is held.
        this.#hold(state.held, line.length, () => this.#onUpdate(params, ""));
        return;
      case "none":
        this.#onForeignUpdate(params, params["sessionId"]);
        return;
      case "open":
        if (params["sessionId"] === state.id) this.#onOwnUpdate(params["update"], line, state.options);
        else this.#onForeignUpdate(params, params["sessionId"]);
    }
  }

  #onOwnUpdate(raw: unknown, line: string, options: SessionOptions): void {
    const update = decodeUpdate(raw, line);
    if (update === undefined) {
      const kept = extensionUpdate(raw);
      this.#link.fault("invalid-update", "An update lacks a required member; it was kept as received");
      this.#link.emit({ type: "update", update: kept });
      return;
    }
    // People are asked about a tool call's input, so it must be unambiguous.
    const isInput = update.kind === "tool_call" && update.call.rawInput !== undefined;
    if (isInput && findRepeatedName(line) !== undefined) {
      const message = "A tool call has an object with a repeated member name; the last one counts";
      this.#link.fault("repeated-member", message, line);
    }
    const modeId = toldMode(update, this.#link.quirks.modeMessagePrefix);
    this.#emitUpdate(modeId === undefined ? update : { kind: "current_mode", modeId }, raw, options);
  }

  #emitUpdate(update: DecodedUpdate, raw: unknown, options: SessionOptions): void {
    if (update.kind === "config_options") {
      options.replaceConfig(update.options);
      this.#emitOptions(options, update.meta);
    } else if (update.kind === "current_mode") {
      if (options.setCurrent("mode", update.modeId)) this.#emitOptions(options, update.meta);
      else this.#link.emit({ type: "update", update: extensionUpdate(raw) });
    } else {
      const isHistory = historyKinds.has(update.kind) && this.#notesHistory();
      this.#link.emit({ type: "update", update, ...(isHistory ? { replay: true as const } : {}) });
    }
  }

  /** Returns whether a message, tool call or plan that came now is history. */
  #notesHistory(): boolean {
    const state = this.#state();
    if (state.state !== "open") return false;
    state.replay?.grew();
    return state.restoring === true || state.replay !== undefined;
  }

  #emitOptions(options: SessionOptions, meta: unknown): void {
    const update = { kind: "options", options: options.list() } as const;
    this.#link.emit({ type: "update", update: meta === undefined ? update : { ...update, meta } });
  }

  /**
   * Logs an update for an unknown session, such as a sub-agent's, as received. A tool call in it is passed on too,
   * since a permission request may refer to it.
   */
  #onForeignUpdate(params: Readonly<Record<string, unknown>>, sessionId: string): void {
    this.#link.fault("foreign-session", "An update came for a session that was never opened", sessionId);
    const update = { kind: "extension", method: METHODS.update, data: params } as const;
    const decoded = isIdentifier(sessionId) ? decodeUpdate(params["update"]) : undefined;
    const about = decoded?.kind === "tool_call" ? { agentSession: sessionId, call: decoded.call } : undefined;
    this.#link.emit({ type: "update", update, ...(about === undefined ? {} : { about }) });
  }

  #onPermission(request: IncomingRequest): void {
    const asked = decodePermissionRequest(request.params);
    if (asked === undefined) {
      this.#link.fault("invalid-permission", "A permission request lacks a required member; it was refused");
      request.refuse({ code: RPC.invalidParams, message: "Invalid params of session/request_permission" });
      return;
    }
    const state = this.#state();
    if (state.state !== "open") {
      const title = asked.toolCall.title ?? "without a title";
      this.#reportRefusal(
        "A permission was requested while no session is open; it was cancelled",
        title,
        asked.sessionId,
      );
      // Without an answer the agent would wait for ever, and nobody can be asked.
      request.reply(permissionResult({ outcome: "cancelled" }));
      return;
    }
    const error = checkPermissionRequest(asked, this.#link.limits.permissionOptionsCharactersMax);
    if (error !== undefined) {
      this.#link.fault("invalid-permission", `A permission request was refused: ${error}`);
      request.refuse({ code: RPC.invalidParams, message: `Invalid params of session/request_permission: ${error}` });
      return;
    }
    const { toolCall, options, sessionId } = asked;
    this.#pending.add(request, (answer) => permissionResult(answer, options));
    this.#link.emit({
      type: "permission",
      request: request.key,
      toolCall,
      options,
      ...otherSession(state.id, sessionId),
    });
  }

  #onClientSide(request: IncomingRequest): void {
    const { clientSide } = this.#link;
    const handler = findHandler(clientSide, request.method);
    if (handler === undefined) {
      request.refuse({ code: RPC.methodNotFound, message: `Method not found: ${truncateText(request.method, 100)}` });
      return;
    }
    const params = isRecord(request.params) ? request.params : {};
    const { sessionId } = params;
    const state = this.#state();
    // Another session, such as a sub-agent's, may have other directories, so its requests are refused.
    if (sessionId !== undefined && (state.state !== "open" || sessionId !== state.id)) {
      const subject = params["path"] ?? params["command"] ?? params["terminalId"];
      const what = typeof subject === "string" ? `${request.method} ${subject}` : request.method;
      const message = "A request for files or a terminal has a session id that was never opened; it was refused";
      this.#reportRefusal(message, what, sessionId);
      request.refuse({ code: RPC.resourceNotFound, message: "Unknown session", data: { sessionId } });
      return;
    }
    this.#link.noteDelivery();
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
      request.refuse({ code: RPC.invalidParams, message: "This mode of elicitation is not supported" });
      return;
    }
    const { sessionId } = params;
    if (sessionId !== undefined && state.state !== "open") {
      const { message } = params;
      const what = typeof message === "string" ? message : "without a message";
      this.#reportRefusal("An elicitation came while no session is open; it was refused", what, sessionId);
      request.refuse({ code: RPC.resourceNotFound, message: "Unknown session", data: { sessionId } });
      return;
    }
    const isServed = sessionId !== undefined || clientSide.elicitation?.outsideSessions === true;
    const isTooLong = request.size > limits.elicitationCharactersMax;
    const asked = isTooLong || !isServed ? undefined : decodeElicitation(params);
    if (asked === undefined) {
      this.#link.fault("invalid-elicitation", "An elicitation lacks a required member or is too long; it was refused");
      const message =
        "Invalid params of elicitation/create: sessionId, message, and a form or an http(s) URL are required";
      request.refuse({ code: RPC.invalidParams, message });
      return;
    }
    this.#pending.add(request, elicitationResult);
    if (asked.mode === "url") this.#urlElicitations.add(asked.elicitationId);
    const other = state.state === "open" && typeof sessionId === "string" ? otherSession(state.id, sessionId) : {};
    this.#link.emit({ type: "elicitation", request: request.key, asked, ...other });
  }

  /**
   * Reports a refused request as a fault of its own kind: among updates, which come in floods, its sample would be
   * lost.
   */
  #reportRefusal(message: string, what: string, sessionId: unknown): void {
    this.#link.fault("foreign-request", message, `${what} (session ${JSON.stringify(sessionId)})`);
  }

  #isCompleted(params: unknown): boolean {
    const id = decodeCompletedElicitation(params);
    return id !== undefined && this.#urlElicitations.complete(id);
  }

  #hold(held: HeldMessages, characters: number, deliver: () => void, request?: IncomingRequest): void {
    if (held.hold(characters, deliver)) return;
    this.#link.fault("overflow", "Too many messages came before the answer to session/new; one was dropped");
    request?.refuse({ code: RPC.internalError, message: "Too many messages came before session/new was answered" });
  }
}

/** Returns the mode's id in a message by which the agent tells a change of its mode. */
function toldMode(update: DecodedUpdate, prefix: string | undefined): string | undefined {
  if (!prefix || update.kind !== "message" || update.role !== "agent") return undefined;
  const { text } = update.content as { readonly text?: unknown };
  if (typeof text !== "string" || !text.startsWith(prefix)) return undefined;
  const modeId = text.slice(prefix.length);
  return /^\S+$/u.test(modeId) && isIdentifier(modeId) ? modeId : undefined;
}

function otherSession(own: string, asked: string): { readonly agentSession?: string } {
  return asked === own ? {} : { agentSession: asked };
}
