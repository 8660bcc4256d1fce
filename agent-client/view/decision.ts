// SPDX-License-Identifier: MIT OR Apache-2.0
// What an answer to a question means: by the kind of the chosen option, never by its name, which the agent writes.
import type { PermissionChoice } from "../../agentd/vocabulary/entries.ts";
import type { AskedEntry } from "./open-questions.ts";

export type Decision = { readonly option: string } | { readonly cancelled: true };

/**
 * `allow` takes the only option of kind allow_once; `deny` takes the first reject_once, or else cancels. Undefined if no
 * option allows once, or several do.
 */
export function decisionFor(what: "allow" | "deny", options: readonly PermissionChoice[]): Decision | undefined {
  const [first, ...others] = options.filter(({ kind }) => kind === `${what === "allow" ? "allow" : "reject"}_once`);
  if (what === "deny") return first === undefined ? { cancelled: true } : { option: first.option };
  return first === undefined || others.length > 0 ? undefined : { option: first.option };
}

/** An unknown kind does not reject: it may let the tool call run. */
export function isRejection(kind: string): boolean {
  return kind.startsWith("reject_");
}

/** Says how a question ended. `answered`: a form or a URL was accepted, or an option of an unknown kind was chosen. */
export function verdictOf(
  resolved: AskedEntry,
  asked: AskedEntry | undefined,
): "allowed" | "refused" | "answered" | "cancelled" {
  const { outcome } = resolved;
  if (outcome === "accept") return "answered";
  if (outcome === "decline") return "refused";
  if (resolved.kind === "elicitation" || outcome !== "selected") return "cancelled";
  const options = asked?.kind === "permission" ? asked.options : undefined;
  const kind = options?.find(({ option }) => option === resolved.option)?.kind ?? "";
  return isRejection(kind) ? "refused" : kind.startsWith("allow_") ? "allowed" : "answered";
}
