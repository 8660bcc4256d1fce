// SPDX-License-Identifier: MIT OR Apache-2.0
// Applies the model: whether a sender may run a command, and what it may give to a session. Pure.
import { type ErrorBody, errorBody } from "../vocabulary/errors.ts";
import { isWithin } from "../instance/within.ts";
import { type Act, type Bound, type Grant, grants, refusals, rules, type Ruling } from "./model.ts";
import { type Sender, senderOf, type Target } from "./sender.ts";

/** The settings of the configuration that widen the model. */
export interface Allowances {
  readonly mesh: "refuse" | "answer";
  readonly agentsAct: "started" | "any";
}

/**
 * Returns the error if the sender may not do this. Calls `target` only where the rule depends on it. If `target` returns
 * undefined, there is no such session, which the verb's handler reports.
 */
export function checkAct(
  { kind }: Sender,
  act: Act,
  target: () => Target | undefined,
  allowances: () => Allowances,
): ErrorBody | undefined {
  const rule = rules[act];
  if (rule === undefined) return undefined;
  const ruled = rule[kind];
  const found = typeof ruled === "string" ? undefined : target();
  const ruling: Ruling = typeof ruled === "string" ? ruled : found === undefined ? "yes" : ruled[found];
  if (ruling === "yes") return undefined;
  if (ruling === "if mesh" && allowances().mesh === "answer") return undefined;
  if (ruling === "if agents_act" && allowances().agentsAct === "any") return undefined;
  const { code, message } = refusals[ruling];
  return errorBody(code, message);
}

/** What a sender wants to give to a session, as far as `grants` has rules for it. */
export interface Given {
  /** The program of an agent that is not in the catalogue. */
  readonly program?: string | undefined;
  readonly servers?: readonly GivenServer[];
  /** Names of environment variables. */
  readonly env?: readonly string[];
  /** Real paths; an empty string for one that cannot be resolved. */
  readonly directories?: readonly string[];
  readonly options?: readonly GivenOption[];
  readonly policy?: string | undefined;
  readonly name?: GivenName | undefined;
}

interface GivenServer {
  readonly name: string;
  readonly command?: unknown;
  readonly env?: readonly NamedValue[];
  readonly headers?: readonly NamedValue[];
}

interface NamedValue {
  readonly value: string | { readonly env: string };
}

/** `category` is known once the agent has sent its options. */
export interface GivenOption {
  readonly option: string;
  readonly category?: string | null | undefined;
}

/** `leadsTo`: the session that has the name now, as seen by the sender; undefined if there is none. */
interface GivenName {
  readonly name: string;
  readonly leadsTo: Target | undefined;
}

/** What the sender's own session was given; `noOwnSession` if the sender has no known session. */
export interface OwnSession {
  readonly env: readonly string[];
  /** Real paths. */
  readonly directories: readonly string[];
  readonly policy?: string | undefined;
}

export const noOwnSession: OwnSession = { env: [], directories: [] };

/** Returns the first grant that the sender exceeds; undefined if it may give all of it. */
export function findExceededGrant(sender: Sender, given: Given, own: OwnSession): Grant | undefined {
  return (Object.keys(grants) as Grant[]).find((grant) => {
    const bound = boundOf(sender, grant);
    if (bound === "any") return false;
    const { items, isOwn } = grantChecks[grant];
    return items(given).some((item) => bound === "none" || !isOwn(item, own, given));
  });
}

/** The error does not repeat what was given, and does not tell whether a directory exists. */
export function grantRefusal({ kind }: Sender, grant: Grant, field: string = grants[grant].field): ErrorBody {
  const code = kind === "nameless" || kind === "node" ? "UNSUPPORTED" : "AGENT_SELF";
  return errorBody(code, `${field}: ${grants[grant].refusal}`, { field });
}

interface GrantCheck {
  readonly items: (given: Given) => readonly string[];
  /** Whether the sender's own session has the item too. */
  readonly isOwn: (item: string, own: OwnSession, given: Given) => boolean;
}

const never = (): boolean => false;

const grantChecks: { readonly [G in Grant]: GrantCheck } = {
  program: { items: ({ program }) => (program === undefined ? [] : [program]), isOwn: never },
  command: {
    items: ({ servers = [] }) => servers.filter((server) => "command" in server).map(({ name }) => name),
    isOwn: never,
  },
  variable: { items: ({ servers = [] }) => servers.filter(readsVariable).map(({ name }) => name), isOwn: never },
  env: { items: ({ env = [] }) => env, isOwn: (name, { env }) => env.includes(name) },
  directory: {
    items: ({ directories = [] }) => directories,
    isOwn: (path, { directories }) => directories.some((directory) => isWithin(path, directory)),
  },
  mode: { items: ({ options = [] }) => options.filter(isMode).map(({ option }) => option), isOwn: never },
  policy: {
    items: ({ policy }) => (policy === undefined ? [] : [policy]),
    isOwn: (name, { policy }) => name === policy,
  },
  name: {
    items: ({ name }) => (name?.leadsTo === undefined ? [] : [name.name]),
    isOwn: (_, __, { name }) => name?.leadsTo === "started",
  },
};

function readsVariable({ env = [], headers = [] }: GivenServer): boolean {
  return [...env, ...headers].some(({ value }) => typeof value !== "string");
}

/** ACP v1's mode is the option `mode`; an agent may also offer options of that category under other names. */
function isMode({ option, category }: GivenOption): boolean {
  return option === "mode" || category === "mode";
}

/** `offered`: the options that the agent has sent, of which several may have one id. */
export function isModeAmong(name: string, offered: readonly GivenOption[]): boolean {
  return isMode({ option: name }) || offered.some((one) => one.option === name && isMode(one));
}

/**
 * Returns the error if this sender may not set the option, in a start or by set_config. `offered`: the options that the
 * agent has sent, which tell what is a mode.
 */
export function checkOption(
  by: string | null,
  field: "config" | "option",
  name: string,
  offered: readonly GivenOption[],
): ErrorBody | undefined {
  const options = isModeAmong(name, offered) ? [{ option: name, category: "mode" }] : [];
  // The rule for modes is the same for agents of all sessions, and for people and nodes.
  const sender = senderOf(by, "local", { parentOf: () => null });
  const grant = findExceededGrant(sender, { options }, noOwnSession);
  return grant && grantRefusal(sender, grant, field);
}

function boundOf({ kind }: Sender, grant: Grant): Bound {
  switch (kind) {
    case "agent":
    case "child":
      return grants[grant].agent;
    case "client":
      return grants[grant].client;
    case "nameless":
    case "node":
      return grants[grant].others;
    case "person":
      return "any";
  }
}
