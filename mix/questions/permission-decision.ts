// SPDX-License-Identifier: MIT OR Apache-2.0
// Maps the words `allow` and `deny`, and an option that is given with them, to an answer.
import type { PermissionChoice } from "../../agentd/vocabulary/entries.ts";
import { type Decision, decisionFor as onceDecision, isRejection } from "../../agent-client/view/decision.ts";
import { MixError, usageError } from "../process/mix-error.ts";

/** A given `option` is taken if its kind does not contradict the word. */
export function decisionFor(
  what: "allow" | "deny",
  options: readonly PermissionChoice[],
  option: string | undefined,
): Decision {
  if (option !== undefined) {
    const named = options.find((one) => one.option === option);
    if (named === undefined)
      throw new MixError("OPTION_UNKNOWN", `no option ${option}; there are: ${describeOptions(options)}`);
    if (isRejection(named.kind) === (what === "deny")) return { option };
    const may = what === "deny" ? "deny takes only the kinds reject_…" : "allow does not take the kinds reject_…";
    throw usageError(`${what} --option ${option} contradicts itself: ${may}; there are: ${describeOptions(options)}`);
  }
  const decision = onceDecision(what, options);
  if (decision !== undefined) return decision;
  const isAllowed = options.some(({ kind }) => kind === "allow_once");
  throw usageError(
    `${isAllowed ? "more than one" : "no"} option allows once; choose one (--option): ${describeOptions(options)}`,
  );
}

function describeOptions(options: readonly PermissionChoice[]): string {
  return options.map(({ option, kind }) => `${option} (${kind})`).join(", ");
}
