// SPDX-License-Identifier: MIT OR Apache-2.0
// What `allow` and `deny` mean for the options that an agent offers. Never chosen by a name: agents write those.
import type { PermissionChoice } from "../../agentd/vocabulary/entries.ts";
import { MixError, usageError } from "../process/mix-error.ts";

export type Decision = { readonly option: string } | { readonly cancelled: true };

/**
 * `allow`: the only option of kind allow_once. `deny`: the first reject_once, else cancelled. `option`: that one, if
 * its kind does not contradict the word. Only `allow` takes a kind that is unknown here: it may let the agent do it.
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
    const may = what === "deny" ? "deny takes a kind reject_… alone" : "allow takes no kind reject_…";
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
