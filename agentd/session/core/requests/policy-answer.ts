// SPDX-License-Identifier: MIT OR Apache-2.0
// What the session's policy says to a question, as the configuration has that policy at this moment.
import type { Findings } from "../../../people/findings.ts";
import { answerByPolicy, askedByAnotherSession, type PolicyAnswer } from "./policy.ts";
import type { PermissionChoice } from "../../../vocabulary/index.ts";
import type { Draft } from "../draft.ts";

export interface AskedOfPolicy {
  /** As the request itself has it. */
  readonly kind: string | null | undefined;
  readonly options: readonly PermissionChoice[];
  readonly findings: Findings | undefined;
  readonly agentSession: string | undefined;
}

/** Undefined where the session has none. One that is gone from the configuration answers nothing, which is said once. */
export function policyAnswer(
  draft: Draft,
  { kind, options, findings, agentSession }: AskedOfPolicy,
): PolicyAnswer | undefined {
  const { state, context } = draft;
  const { policy: name, cwd, additionalDirs } = state;
  if (name === undefined) return undefined;
  const policy = context.settings.policies.get(name);
  if (!policy) sayMissed(draft, name);
  state.policyMissed = policy === undefined;
  if (agentSession !== undefined) return { ask: `policy "${name}": ${askedByAnotherSession}` };
  if (!policy || !findings) return { ask: `policy "${name}": it is not in the configuration` };
  const answer = answerByPolicy(policy, { kind, options, sessionDirectories: [cwd, ...additionalDirs], findings });
  if ("ask" in answer) return { ask: `policy "${name}": ${answer.ask}` };
  return { ...answer, why: `policy "${name}", ${answer.why}` };
}

function sayMissed(draft: Draft, name: string): void {
  if (draft.state.policyMissed) return;
  const message = `the policy "${name}" is not in the configuration any more: people are asked instead`;
  draft.add({ kind: "diagnostic", what: "policy-gone", message });
}
