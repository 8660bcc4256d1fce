// SPDX-License-Identifier: MIT OR Apache-2.0
// Where one agent's file and terminal requests are taken. They are checked here, held until the log has what is to be
// done for them, done then, and answered. What only looks (a terminal's output, the wait for its end) is not logged.
import type { ClientSide, ClientSideHandler, ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import type { Desk, DeskHooks } from "../session/agents/desk.ts";
import type { ClientSideEffect } from "../session/core/client-side/client-side-input.ts";
import { sessionEnding } from "../session/core/client-side/answers.ts";
import { AnswerLine } from "./answer-line.ts";
import { type CallLimits, type CallParser, callParser, type ClientSideCall } from "./calls.ts";
import { FileRequests, type FileRequestsOptions } from "./file-requests.ts";
import { OpenRequests } from "./open-requests.ts";
import type { AsUser } from "../instance/user-umask.ts";
import type { Pace } from "./pace.ts";
import { TerminalRequests, type TerminalRequestsOptions } from "./terminal-requests.ts";

export interface DeskOptions extends FileRequestsOptions, TerminalRequestsOptions {
  readonly asUser: AsUser;
  readonly pace: Pace;
  readonly limits: CallLimits &
    FileRequestsOptions["limits"] &
    TerminalRequestsOptions["limits"] & {
      /** Requests that may be open at a time; one more is refused. */
      readonly clientSideRequestsMax: number;
      /** Texts on their way to the agent, as JSON; one more begins below it, the next wait. */
      readonly answersBytesMax: number;
    };
}

export class ClientSideDesk implements Desk {
  readonly clientSide: ClientSide;
  readonly #limits: DeskOptions["limits"];
  readonly #asUser: AsUser;
  readonly #hooks: DeskHooks;
  readonly #parse: CallParser;
  readonly #open: OpenRequests;
  readonly #line: AnswerLine;
  readonly #files: FileRequests;
  readonly #terminals: TerminalRequests;
  #ended = false;

  constructor(options: DeskOptions, hooks: DeskHooks) {
    this.#limits = options.limits;
    this.#asUser = options.asUser;
    this.#hooks = hooks;
    this.#parse = callParser(options.limits);
    this.#open = new OpenRequests(hooks.newKey);
    const { limits, pace } = options;
    this.#line = new AnswerLine({ bytesMax: limits.answersBytesMax, pace, done: hooks.flush });
    this.#files = new FileRequests(options, hooks, this.#open, this.#line);
    this.#terminals = new TerminalRequests(options, hooks, this.#open, this.#line);
    const handler: ClientSideHandler = {
      serve: (request) => this.#serve(request),
      withdraw: (request) => this.#terminals.withdraw(request),
    };
    this.clientSide = { fs: handler, terminal: handler };
  }

  act(effect: ClientSideEffect): void {
    switch (effect.type) {
      case "answer":
        this.#open.take(effect.key)?.reply(effect.result);
        return;
      case "refuse":
        this.#files.drop(effect.key);
        this.#terminals.drop(effect.key);
        this.#open.take(effect.key)?.refuse(effect.error);
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
    this.#line.end();
    await this.#terminals.end();
  }

  #serve(request: ClientSideRequest): void {
    if (this.#ended) return request.refuse({ code: RPC.internalError, message: sessionEnding });
    const { clientSideRequestsMax } = this.#limits;
    if (this.#open.size + this.#line.length + this.#terminals.waits >= clientSideRequestsMax) {
      return request.refuse({ code: RPC.internalError, message: `${clientSideRequestsMax} requests are open already` });
    }
    const parsed = this.#parse(request.method, request.params);
    if (parsed.ok) return this.#take(request, parsed.call);
    this.#hooks.fault("invalid-params", parsed.message);
    request.refuse({ code: RPC.invalidParams, message: parsed.message });
  }

  #take(request: ClientSideRequest, call: ClientSideCall): void {
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
        return this.#hooks.ask({ type: "terminal_kill", key: this.#open.add(request), terminal: call.terminalId });
      case "terminal/release":
        return this.#hooks.ask({ type: "terminal_release", key: this.#open.add(request), terminal: call.terminalId });
    }
  }
}
