// SPDX-License-Identifier: MIT OR Apache-2.0
// The questions of an agent that wait for an answer: permissions and elicitations. Each is answered once.
import { AcpClientError } from "./client-error.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { PermissionOption, PermissionOutcome, RequestKey, Elicitation, ElicitationAnswer } from "./model.ts";
import { permissionResult, elicitationResult } from "./schema/v1/requests.ts";

/** Permission requests. Each is answered with an option exactly as it was offered. */
export class PendingPermissions {
  readonly #open = new Map<RequestKey, { request: IncomingRequest; options: readonly PermissionOption[] }>();

  add(request: IncomingRequest, options: readonly PermissionOption[]): void {
    this.#open.set(request.key, { request, options });
  }

  /**
   * A second answer, or one after the question was taken back, is dropped. Throws OPTION_NOT_OFFERED rather than
   * answering with something the agent did not offer, which some agents take for a yes.
   */
  answer(key: RequestKey, outcome: PermissionOutcome): void {
    const asked = this.#open.get(key);
    if (asked === undefined) return;
    if (outcome !== "cancelled" && !asked.options.some((option) => option.optionId === outcome.optionId)) {
      throw new AcpClientError("OPTION_NOT_OFFERED", `The agent did not offer the option "${outcome.optionId}"`);
    }
    this.#open.delete(key);
    asked.request.reply(permissionResult(outcome));
  }

  /** The agent takes a question back: it is answered at once. False when it was not open. */
  withdraw(key: RequestKey): boolean {
    const asked = this.#open.get(key);
    if (asked === undefined) return false;
    this.#open.delete(key);
    asked.request.reply(permissionResult("cancelled"));
    return true;
  }
}

/** Ids whose end an agent may still tell. */
const urlElicitationsMax = 256;

/** Elicitations, and the addresses that the agent has asked somebody to open. */
export class PendingElicitations {
  readonly #open = new Map<RequestKey, IncomingRequest>();
  readonly #urlElicitations = new Set<string>();

  add(request: IncomingRequest, asked: Elicitation): void {
    this.#open.set(request.key, request);
    if (asked.mode !== "url") return;
    const [oldest] = this.#urlElicitations;
    if (oldest !== undefined && this.#urlElicitations.size >= urlElicitationsMax) this.#urlElicitations.delete(oldest);
    this.#urlElicitations.add(asked.elicitationId);
  }

  /** False when it was not open: a second answer, or one after the elicitation was taken back, is dropped. */
  answer(key: RequestKey, answer: ElicitationAnswer): boolean {
    const request = this.#open.get(key);
    this.#open.delete(key);
    request?.reply(elicitationResult(answer));
    return request !== undefined;
  }

  /** What was asked to be done there is done. False for an id that was never asked for, or has ended before. */
  complete(elicitationId: string): boolean {
    return this.#urlElicitations.delete(elicitationId);
  }
}
