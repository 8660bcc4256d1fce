// SPDX-License-Identifier: MIT OR Apache-2.0
// The questions of an agent that wait for an answer. Each is answered once, with an option exactly as it was offered.
import { AcpClientError } from "./client-error.ts";
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { PermissionOption, PermissionOutcome, RequestKey } from "./model.ts";
import { permissionResult } from "./schema/v1/requests.ts";

export class OpenPermissions {
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
