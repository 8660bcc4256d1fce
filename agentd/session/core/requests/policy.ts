// SPDX-License-Identifier: MIT OR Apache-2.0
// Evaluates a policy: it chooses the only `allow_once` option or leaves the request to a person. It reads the tool
// call's kind, the real paths of its locations and the kinds of the options, never text that the agent wrote. It trusts
// the agent's kind and locations: a policy saves questions and is not a sandbox.
import { type AllowOnceRule, type PolicySettings, toolKinds } from "../../../config/settings.ts";
import { isWithin } from "../../../instance/within.ts";
import type { PermissionChoice } from "../../../vocabulary/entries.ts";

/** A path that the agent wrote. `real`: without links, undefined when it cannot be resolved. */
export interface Place {
  readonly path: string;
  readonly real: string | undefined;
  /** One of agentd's own paths. */
  readonly reserved?: true;
}

export interface PolicyEvidence {
  /** Kinds that the agent gave the tool call before this request. */
  readonly kindsBefore: readonly string[];
  readonly locations: readonly Place[];
  readonly diffs: readonly Place[];
  /** Some content or location of the call could not be read. */
  readonly incomplete: boolean;
  /** The call names more paths than are checked. */
  readonly tooMany: boolean;
  /** The policy's directories, from their configured to their real paths. */
  readonly ruleDirectories: ReadonlyMap<string, string>;
}

export interface PolicyRequest {
  /** The kind in the request itself, if it has one. */
  readonly kind: string | null | undefined;
  readonly options: readonly Pick<PermissionChoice, "option" | "kind">[];
  /** Real paths. */
  readonly sessionDirectories: readonly string[];
  readonly evidence: PolicyEvidence;
}

/** `rule`: number of the rule in the policy, from 1. */
export type PolicyDecision =
  | { readonly answer: string; readonly rule: number; readonly why: string }
  | { readonly ask: string };

/** Returns the option that the policy chooses, or why a person must be asked. */
export function evaluatePolicy(policy: PolicySettings, request: PolicyRequest): PolicyDecision {
  const option = findAllowOnce(request.options);
  if ("ask" in option) return option;
  const kind = findKind(request);
  if ("ask" in kind) return kind;
  const problem = findPathProblem(request.evidence);
  if (problem !== undefined) return { ask: problem };
  const rules = policy.allowOnce.map((rule, index) => ({ rule, number: index + 1 }));
  const naming = rules.filter(({ rule }) => (rule.kinds as readonly string[]).includes(kind.kind));
  if (naming.length === 0) return { ask: `no rule names the tool kind ${kind.kind}` };
  const found = naming.find(({ rule }) => isWithinRule(rule, request));
  if (!found) return { ask: `a location is outside every rule that allows ${kind.kind}` };
  const where = found.rule.within === "session" ? "the session's directories" : found.rule.within.directory;
  return { answer: option.option, rule: found.number, why: `rule ${found.number}: ${kind.kind} within ${where}` };
}

/** Why a sub-agent's request is never decided by a policy: its task and directories are unknown here. */
export const foreignSessionReason = "another session of the agent asks";

type AskPerson = { readonly ask: string };

/** Several `allow_once` options mean more than yes or no. So does an id that two options share. */
function findAllowOnce(options: PolicyRequest["options"]): { readonly option: string } | AskPerson {
  const [only, ...others] = options.filter(({ kind }) => kind === "allow_once");
  if (only === undefined) return { ask: "no option allows once" };
  if (others.length > 0) return { ask: `${others.length + 1} options allow once: which one is a person's choice` };
  if (options.filter(({ option }) => option === only.option).length > 1) {
    return { ask: "the option that allows once shares its id with another" };
  }
  return { option: only.option };
}

function findKind({ kind: own, evidence: { kindsBefore } }: PolicyRequest): { readonly kind: string } | AskPerson {
  const kinds = new Set([...kindsBefore, ...(typeof own === "string" ? [own] : [])]);
  if (kinds.size > 1) return { ask: "the agent gave this tool call two kinds" };
  const [kind] = kinds;
  // ACP's default kind is "other", so a call announced without a kind has it. Only the request itself can mean it.
  if (kind === undefined || (kind === "other" && own !== "other")) return { ask: "the tool call has no kind" };
  if (!(toolKinds as readonly string[]).includes(kind)) return { ask: "the tool call's kind is unknown" };
  if (kind === "switch_mode") return { ask: "a change of mode is always put to a person" };
  return { kind };
}

/** Returns why the paths do not allow a decision. A changed file must be among the call's locations. */
function findPathProblem({ locations, diffs, incomplete, tooMany }: PolicyEvidence): string | undefined {
  if (incomplete) return "some of the tool call's content or locations could not be read";
  if (tooMany) return "the tool call names more paths than a policy checks";
  if (locations.length === 0) return "the tool call names no location";
  if ([...locations, ...diffs].some(({ real }) => real === undefined)) {
    return "a path of the tool call cannot be resolved";
  }
  if ([...locations, ...diffs].some(({ reserved }) => reserved === true)) {
    return "a path of the tool call is agentd's own: its configuration, its log, its secrets or a socket";
  }
  const named = new Set(locations.map(({ real }) => real));
  return diffs.every(({ real }) => named.has(real)) ? undefined : "it changes a file that is not among its locations";
}

/** Returns whether every location lies in the rule's directories, by real paths. */
function isWithinRule({ within }: AllowOnceRule, { sessionDirectories, evidence }: PolicyRequest): boolean {
  const written = within === "session" ? undefined : evidence.ruleDirectories.get(within.directory);
  const directories = within === "session" ? sessionDirectories : written === undefined ? [] : [written];
  const isIn = ({ real }: Place): boolean => directories.some((each) => real !== undefined && isWithin(real, each));
  return evidence.locations.every(isIn);
}
