// SPDX-License-Identifier: MIT OR Apache-2.0
// What `allow` and `deny` mean for the options that an agent offers. Never chosen by a name: agents write those.
import type { PermissionChoice } from "../agentd/vocabulary/entries.ts";
import { MixError, usageError } from "./mix-error.ts";

export type Decision = { readonly option: string } | { readonly cancelled: true };

/** `allow`: the only option of kind allow_once. `deny`: the first reject_once, else cancelled. `option`: that one. */
export function decisionFor(
  what: "allow" | "deny",
  options: readonly PermissionChoice[],
  option: string | undefined,
): Decision {
  if (option !== undefined) {
    if (options.some((one) => one.option === option)) return { option };
    throw new MixError(
      "OPTION_UNKNOWN",
      `no option ${option}; there are: ${options.map((one) => one.option).join(", ")}`,
    );
  }
  if (what === "deny") {
    const rejects = options.find(({ kind }) => kind === "reject_once");
    return rejects === undefined ? { cancelled: true } : { option: rejects.option };
  }
  const allows = options.filter(({ kind }) => kind === "allow_once");
  const [only] = allows;
  if (only !== undefined && allows.length === 1) return { option: only.option };
  throw usageError(
    `${allows.length === 0 ? "no option" : "more than one option"} allows once; choose with --option: ${options
      .map((one) => `${one.option} (${one.kind})`)
      .join(", ")}`,
  );
}
