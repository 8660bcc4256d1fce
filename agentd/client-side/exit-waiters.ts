// SPDX-License-Identifier: MIT OR Apache-2.0
// The requests of an agent that wait for the exit of one terminal. They are answered once the exit is in the log.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import type { RpcError } from "../../acp-client/jsonrpc/message.ts";
import type { TerminalExit } from "./terminals/terminal.ts";

export class ExitWaiters {
  readonly #requests = new Set<ClientSideRequest>();
  #exit: TerminalExit | undefined;

  get count(): number {
    return this.#requests.size;
  }

  get isExitLogged(): boolean {
    return this.#exit !== undefined;
  }

  wait(request: ClientSideRequest): void {
    if (this.#exit) request.reply(this.#exit);
    else this.#requests.add(request);
  }

  /** Returns whether the request was waiting. */
  cancel(request: ClientSideRequest): boolean {
    return this.#requests.delete(request);
  }

  onExitLogged({ exitCode, signal }: TerminalExit): void {
    this.#exit = { exitCode, signal };
    for (const request of this.#requests) request.reply(this.#exit);
    this.#requests.clear();
  }

  /** Refuses waiting requests after a failed start: an agent can guess the id before it has the response. */
  fail(error: RpcError): void {
    for (const request of this.#requests) request.refuse(error);
    this.#requests.clear();
  }
}
