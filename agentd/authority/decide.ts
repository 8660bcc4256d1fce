// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the model: whether a sender may do something, and what it may give to what it starts. Pure.
import { type ErrorBody, errorBody } from "../vocabulary/errors.ts";
import { isWithin } from "../instance/within.ts";
import { type Act, type Bound, type Grant, grants, refusals, rules, type Ruling } from "./model.ts";
import { type Sender, senderOf, type Target } from "./sender.ts";

/** Of the configuration. */
export interface Allowances {
  readonly mesh: "refuse" | "answer";
  readonly agentsAct: "started" | "any";
}

/**
 * The refusal where the sender may not do this; undefined where it may. `target` is called only where it matters; it gives
 * undefined where there is no such session, which the verb's own handler says.
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

/** What a sender gives to a session, as far as rules speak of it. */
export interface Given {
  readonly servers?: readonly GivenServer[];
  /** Names of variables. */
  readonly env?: readonly string[];
  /** Where they really are; empty for what cannot be resolved. */
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

/** `category` is known when the agent has told of its options. */
export interface GivenOption {
  readonly option: string;
  readonly category?: string | null | undefined;
}

/** `leadsTo`: whose session people reach by it now; undefined: nobody's. */
interface GivenName {
  readonly name: string;
  readonly leadsTo: Target | undefined;
}

/** What the sender's own session was given; nothing, where it has none or none is known. */
export interface OwnSession {
  readonly env: readonly string[];
  /** Without links. */
  readonly directories: readonly string[];
  readonly policy?: string | undefined;
}

export const noOwnSession: OwnSession = { env: [], directories: [] };

/** The first rule that the sender breaks by what it gives; undefined where it may give all of it. */
export function findExceededGrant(sender: Sender, given: Given, own: OwnSession): Grant | undefined {
  return (Object.keys(grants) as Grant[]).find((grant) => {
    const bound = boundOf(sender, grant);
    if (bound === "any") return false;
    const { items, isOwn } = grantChecks[grant];
    return items(given).some((item) => bound === "none" || !isOwn(item, own, given));
  });
}

/** The refusal. It has nothing of what was given: of a directory not even whether it is there. */
export function grantRefusal(grant: Grant, field: string = grants[grant].field): ErrorBody {
  return errorBody("AGENT_SELF", `${field}: ${grants[grant].refusal}`, { field });
}

interface GrantCheck {
  readonly items: (given: Given) => readonly string[];
  /** Whether the sender's own session has it too. */
  readonly isOwn: (item: string, own: OwnSession, given: Given) => boolean;
}

const never = (): boolean => false;

const grantChecks: { readonly [G in Grant]: GrantCheck } = {
  command: {
    items: ({ servers = [] }) => servers.filter((server) => "command" in server).map(({ name }) => name),
    isOwn: never,
  },
  variable: { items: ({ servers = [] }) => servers.filter(namesVariable).map(({ name }) => name), isOwn: never },
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

function namesVariable({ env = [], headers = [] }: GivenServer): boolean {
  return [...env, ...headers].some(({ value }) => typeof value !== "string");
}

/** A v1 mode is the option `mode`; an agent may offer one under another name, of that category. */
function isMode({ option, category }: GivenOption): boolean {
  return option === "mode" || category === "mode";
}

/** `offered`: what the agent has told of. An id may stand for several of them. */
export function isModeAmong(name: string, offered: readonly GivenOption[]): boolean {
  return isMode({ option: name }) || offered.some((one) => one.option === name && isMode(one));
}

/**
 * The refusal where this sender may not set the option, by a start or by set_config. `offered`: what the agent has told of;
 * which options are modes is known only then.
 */
export function checkOption(
  by: string | null,
  field: "config" | "option",
  name: string,
  offered: readonly GivenOption[],
): ErrorBody | undefined {
  const options = isModeAmong(name, offered) ? [{ option: name, category: "mode" }] : [];
  // Neither whose agent it is makes a difference here, nor from where somebody without a name asks.
  const grant = findExceededGrant(senderOf(by, "local", { parentOf: () => null }), { options }, noOwnSession);
  return grant && grantRefusal(grant, field);
}

function boundOf({ kind }: Sender, grant: Grant): Bound {
  switch (kind) {
    case "agent":
    case "child":
      return grants[grant].agent;
    case "client":
      return grants[grant].client;
    case "person":
    case "nameless":
    case "node":
      return "any";
  }
}
