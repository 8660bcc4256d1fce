// SPDX-License-Identifier: MIT OR Apache-2.0
// Handles one agent's file and terminal requests: validates them, waits until the log has recorded what they will do,
// does it and responds. Requests that only observe (a terminal's output, the wait for its exit) are not logged.
import type { ClientSide, ClientSideHandler, ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { ClientRequests, ClientRequestHooks } from "../session/agents/client-requests.ts";
import type { ClientSideEffect } from "../session/core/client-side/client-side-input.ts";
import { sessionEnding } from "../session/core/client-side/answers.ts";
import { ResponseQueue } from "./response-queue.ts";
import { type CallParser, callParser, type ClientSideCall } from "./calls.ts";
import { FileRequests, type FileRequestsOptions } from "./file-requests.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { EventLoopBudget } from "./event-loop-budget.ts";
import { TerminalRequests, type TerminalRequestsOptions } from "./terminal-requests.ts";

export interface ClientRequestHandlerOptions extends FileRequestsOptions, TerminalRequestsOptions {
  readonly eventLoopBudget: EventLoopBudget;
}

export class ClientRequestHandler implements ClientRequests {
  readonly clientSide: ClientSide;
  readonly #limits: ClientRequestHandlerOptions["limits"];
  readonly #asUser: ClientRequestHandlerOptions["withUserUmask"];
  readonly #hooks: ClientRequestHooks;
  readonly #parse: CallParser;
  readonly #pending: PendingRequests;
  readonly #queue: ResponseQueue;
  readonly #files: FileRequests;
  readonly #terminals: TerminalRequests;
  #ended = false;

  constructor(options: ClientRequestHandlerOptions, hooks: ClientRequestHooks) {
    this.#limits = options.limits;
    this.#asUser = options.withUserUmask;
    this.#hooks = hooks;
    this.#parse = callParser(options.limits);
    this.#pending = new PendingRequests(hooks.newKey);
    const { limits, eventLoopBudget: budget } = options;
    this.#queue = new ResponseQueue({ bytesMax: limits.answersBytesMax, budget, onProgress: hooks.flush });
    this.#files = new FileRequests(options, hooks, this.#pending, this.#queue);
    this.#terminals = new TerminalRequests(options, hooks, this.#pending, this.#queue);
    const handler: ClientSideHandler = {
      serve: (request) => this.#serve(request),
      withdraw: (request) => this.#terminals.withdraw(request),
    };
    this.clientSide = { fs: handler, terminal: handler };
  }

  act(effect: ClientSideEffect): void {
    switch (effect.type) {
      case "answer":
        this.#pending.take(effect.key)?.reply(effect.result);
        return;
      case "refuse":
        this.#files.discard(effect.key);
        this.#terminals.discard(effect.key);
        this.#pending.take(effect.key)?.refuse(effect.error);
        return;
      case "hand_over":
        this.#files.act(effect);
        return;
      case "write_file":
        this.#asUser(() => this.#files.act(effect));
        return;
      case "start_terminal":
        this.#asUser(() => this.#terminals.act(effect));
        return;
      case "tell_exit":
      case "kill_terminal":
      case "release_terminal":
        this.#terminals.act(effect);
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#queue.refuseAll();
    await Promise.all([this.#files.end(), this.#terminals.end()]);
  }

  #serve(request: ClientSideRequest): void {
    if (this.#ended) return request.refuse({ code: RPC.internalError, message: sessionEnding });
    const { clientSideRequestsMax } = this.#limits;
    const waiting = this.#files.waitingCount + this.#terminals.waitingCount;
    if (this.#pending.size + this.#queue.length + waiting >= clientSideRequestsMax) {
      return request.refuse({ code: RPC.internalError, message: `${clientSideRequestsMax} requests are open already` });
    }
    const parsed = this.#parse(request.method, request.params);
    if (parsed.ok) return this.#dispatch(request, parsed.call);
    this.#hooks.fault("invalid-params", parsed.message);
    request.refuse({ code: RPC.invalidParams, message: parsed.message });
  }

  #dispatch(request: ClientSideRequest, call: ClientSideCall): void {
    switch (call.method) {
      case "fs/read_text_file":
        return this.#files.read(request, call);
      case "fs/write_text_file":
        return this.#files.write(request, call);
      case "terminal/create":
        return this.#terminals.create(request, call);
      case "terminal/output":
        return this.#terminals.output(request, call.terminalId);
      case "terminal/wait_for_exit":
        return this.#terminals.wait(request, call.terminalId);
      case "terminal/kill":
        return this.#hooks.ask({ type: "terminal_kill", key: this.#pending.add(request), terminal: call.terminalId });
      case "terminal/release":
        return this.#hooks.ask({
          type: "terminal_release",
          key: this.#pending.add(request),
          terminal: call.terminalId,
        });
    }
  }
}
