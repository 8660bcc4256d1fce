// SPDX-License-Identifier: MIT OR Apache-2.0
// What a policy answers to a permission: one `allow_once`, or nothing, and then a person is asked. It goes by the
// kind of the tool call, by where its locations really are and by the kinds of the options; never by a text that the
// agent wrote. It believes the agent's kind and locations: a policy spares questions, it is no sandbox.
import { type AllowOnceRule, type PolicySettings, toolKinds } from "../../../config/settings.ts";
import { isWithin } from "../../../instance/within.ts";
import type { PermissionChoice } from "../../../vocabulary/entries.ts";

/** A path that the agent wrote; `real` is undefined where nobody can tell where it leads. */
export interface Place {
  readonly path: string;
  readonly real: string | undefined;
  /** It is one that agentd keeps to itself. */
  readonly reserved?: true;
}

export interface PolicyEvidence {
  /** Of the tool call, before this question. */
  readonly kindsBefore: readonly string[];
  readonly locations: readonly Place[];
  readonly diffs: readonly Place[];
  /** Some of what was said of it could not be read. */
  readonly incomplete: boolean;
  /** More paths than are looked at. */
  readonly tooMany: boolean;
  /** The policy's own directories: as they are written, and where they are. */
  readonly ruleDirectories: ReadonlyMap<string, string>;
}

export interface PolicyQuestion {
  /** As the question itself has it; it need not have one. */
  readonly kind: string | null | undefined;
  readonly options: readonly Pick<PermissionChoice, "option" | "kind">[];
  /** Without links. */
  readonly sessionDirectories: readonly string[];
  readonly evidence: PolicyEvidence;
}

/** `rule`: its number in the policy, from 1. */
export type PolicyAnswer =
  | { readonly answer: string; readonly rule: number; readonly why: string }
  | { readonly ask: string };

export function answerByPolicy(policy: PolicySettings, question: PolicyQuestion): PolicyAnswer {
  const option = onlyAllowOnce(question.options);
  if ("ask" in option) return option;
  const kind = knownKind(question);
  if ("ask" in kind) return kind;
  const unclear = whyPathsAreUnclear(question.evidence);
  if (unclear !== undefined) return { ask: unclear };
  const rules = policy.allowOnce.map((rule, index) => ({ rule, number: index + 1 }));
  const naming = rules.filter(({ rule }) => (rule.kinds as readonly string[]).includes(kind.kind));
  if (naming.length === 0) return { ask: `no rule names the tool kind ${kind.kind}` };
  const found = naming.find(({ rule }) => liesWithin(rule, question));
  if (!found) return { ask: `not every location lies where a rule allows ${kind.kind}` };
  const where = found.rule.within === "session" ? "the session's directories" : found.rule.within.directory;
  return { answer: option.option, rule: found.number, why: `rule ${found.number}: ${kind.kind} within ${where}` };
}

/** Why no policy answers what a sub-agent asks: what it was told and where it works is not known here. */
export const askedByAnotherSession = "another session of the agent asks";

type Ask = { readonly ask: string };

/** Several of the kind are a question that has more answers than yes and no; an id that stands for two things, too. */
function onlyAllowOnce(options: PolicyQuestion["options"]): { readonly option: string } | Ask {
  const [only, ...others] = options.filter(({ kind }) => kind === "allow_once");
  if (only === undefined) return { ask: "no option allows once" };
  if (others.length > 0) return { ask: `${others.length + 1} options allow once: which one is a person's choice` };
  if (options.filter(({ option }) => option === only.option).length > 1) {
    return { ask: "the option that allows once shares its id with another" };
  }
  return { option: only.option };
}

function knownKind({ kind: own, evidence: { kindsBefore } }: PolicyQuestion): { readonly kind: string } | Ask {
  const kinds = new Set([...kindsBefore, ...(typeof own === "string" ? [own] : [])]);
  if (kinds.size > 1) return { ask: "the agent has told two kinds of this tool call" };
  const [kind] = kinds;
  // A call that is announced without a kind is "other", by ACP's default: only a question that says so itself means it.
  if (kind === undefined || (kind === "other" && own !== "other")) return { ask: "the tool call has no kind" };
  if (!(toolKinds as readonly string[]).includes(kind)) return { ask: "the tool call is of a kind that is not known" };
  if (kind === "switch_mode") return { ask: "a change of mode is always put to a person" };
  return { kind };
}

function whyPathsAreUnclear({ locations, diffs, incomplete, tooMany }: PolicyEvidence): string | undefined {
  if (incomplete) return "some of the tool call's content or locations could not be read";
  if (tooMany) return "the tool call names more paths than a policy looks at";
  if (locations.length === 0) return "the tool call names no location";
  if ([...locations, ...diffs].some(({ real }) => real === undefined)) {
    return "where a path of the tool call leads cannot be told";
  }
  if ([...locations, ...diffs].some(({ reserved }) => reserved === true)) {
    return "a path of the tool call is agentd's own: its configuration, its log, its secrets or a socket";
  }
  const named = new Set(locations.map(({ real }) => real));
  return diffs.every(({ real }) => named.has(real)) ? undefined : "it changes a file that is none of its locations";
}

function liesWithin({ within }: AllowOnceRule, { sessionDirectories, evidence }: PolicyQuestion): boolean {
  const written = within === "session" ? undefined : evidence.ruleDirectories.get(within.directory);
  const directories = within === "session" ? sessionDirectories : written === undefined ? [] : [written];
  const isIn = ({ real }: Place): boolean => directories.some((each) => real !== undefined && isWithin(real, each));
  return evidence.locations.every(isIn);
}
