// SPDX-License-Identifier: MIT OR Apache-2.0
// What answers mean for a permission and for an elicitation. Anything but an explicit allow is a denial.
import type { RequestAnswer } from "../../../../acp-client/model.ts";
import type { PermissionChoice } from "../../../vocabulary/entries.ts";
import type { ClosedRequest, PendingRequest } from "../state.ts";

export function toCancellation({ kind }: PendingRequest): RequestAnswer {
  return { outcome: kind === "permission" ? "cancelled" : "cancel" };
}

/** Returns the answer when nobody gave one in time: the agent's `reject_once` option, or a cancellation. */
export function toExpiry(pending: PendingRequest): RequestAnswer {
  const rejection = pending.kind === "permission" ? findRejectOnce(pending.options) : undefined;
  return rejection ? { outcome: "selected", option: rejection.option } : toCancellation(pending);
}

/** Returns the answer by an option that `notify` offered. */
export function fromOption({ kind }: PendingRequest, option: string): RequestAnswer {
  if (kind === "permission") return { outcome: "selected", option };
  return { outcome: option === "accept" ? "accept" : "decline" };
}

/** Returns what replies and later refusals tell of an answer: a form's content is not repeated there. */
export function toOutcome(answer: RequestAnswer): Pick<ClosedRequest, "outcome" | "option"> {
  return answer.outcome === "selected" ? answer : { outcome: answer.outcome };
}

/**
 * Finds the rejection by its kind alone, never by position, id or text. The agent is told only the id, so an id that
 * another option shares is not used.
 */
function findRejectOnce(options: readonly PermissionChoice[]): PermissionChoice | undefined {
  const rejections = options.filter(({ kind }) => kind === "reject_once");
  return rejections.find(({ option }) => options.filter((other) => other.option === option).length === 1);
}
