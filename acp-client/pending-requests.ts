// SPDX-License-Identifier: MIT OR Apache-2.0
// Permission and elicitation requests that wait for a person. Each is answered once.
import { AcpClientError } from "./client-error.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { PermissionOption, PermissionOutcome, RequestKey, Elicitation, ElicitationAnswer } from "./model.ts";
import { permissionResult, elicitationResult } from "./schema/v1/requests.ts";

export class PendingPermissions {
  readonly #open = new Map<RequestKey, { request: IncomingRequest; options: readonly PermissionOption[] }>();

  add(request: IncomingRequest, options: readonly PermissionOption[]): void {
    this.#open.set(request.key, { request, options });
  }

  /**
   * Drops a second answer, or one after the request was cancelled. Throws OPTION_NOT_OFFERED for an option that the
   * agent did not offer, since some agents take an unknown option for an allow.
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

  /** Answers a request that the agent cancelled. Returns false if it was not open. */
  withdraw(key: RequestKey): boolean {
    const asked = this.#open.get(key);
    if (asked === undefined) return false;
    this.#open.delete(key);
    asked.request.reply(permissionResult("cancelled"));
    return true;
  }
}

/** URL elicitations that are remembered until elicitation/complete; the oldest are forgotten first. */
const urlElicitationsMax = 256;

/** Elicitation requests, and the URL elicitations whose completion the agent may still report. */
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

  /** Returns false, and drops the answer, if the request was already answered or cancelled. */
  answer(key: RequestKey, answer: ElicitationAnswer): boolean {
    const request = this.#open.get(key);
    this.#open.delete(key);
    request?.reply(elicitationResult(answer));
    return request !== undefined;
  }

  /** Records that a URL elicitation was completed. Returns false for an id that is unknown or already completed. */
  complete(elicitationId: string): boolean {
    return this.#urlElicitations.delete(elicitationId);
  }
}
