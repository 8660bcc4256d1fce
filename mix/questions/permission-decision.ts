// SPDX-License-Identifier: MIT OR Apache-2.0
// Maps `allow` and `deny` to one of the agent's options: by its kind, never by its name, which the agent writes.
import type { PermissionChoice } from "../../agentd/vocabulary/entries.ts";
import { MixError, usageError } from "../process/mix-error.ts";

export type Decision = { readonly option: string } | { readonly cancelled: true };

/**
 * `allow` takes the only option of kind allow_once; `deny` takes the first reject_once, or else cancels. A given
 * `option` is taken if its kind does not contradict the word. An unknown kind counts as an allow, since it may let the
 * tool call run.
 */
export function decisionFor(
  what: "allow" | "deny",
  options: readonly PermissionChoice[],
  option: string | undefined,
): Decision {
  if (option !== undefined) {
    const named = options.find((one) => one.option === option);
    if (named === undefined)
      throw new MixError("OPTION_UNKNOWN", `no option ${option}; there are: ${describeOptions(options)}`);
    if (named.kind.startsWith("reject_") === (what === "deny")) return { option };
    const may = what === "deny" ? "deny takes only the kinds reject_…" : "allow does not take the kinds reject_…";
    throw usageError(`${what} --option ${option} contradicts itself: ${may}; there are: ${describeOptions(options)}`);
  }
  if (what === "deny") {
    const rejects = options.find(({ kind }) => kind === "reject_once");
    return rejects === undefined ? { cancelled: true } : { option: rejects.option };
  }
  const allows = options.filter(({ kind }) => kind === "allow_once");
  const [only] = allows;
  if (only !== undefined && allows.length === 1) return { option: only.option };
  throw usageError(
    `${allows.length === 0 ? "no option" : "more than one option"} allows once; choose one (--option): ${describeOptions(options)}`,
  );
}

function describeOptions(options: readonly PermissionChoice[]): string {
  return options.map(({ option, kind }) => `${option} (${kind})`).join(", ");
}
