// SPDX-License-Identifier: MIT OR Apache-2.0
// Who may do what, as data: docs/authority.md shows it, and the tests are made from it. What only reads is for everybody.
import type { ErrorCode } from "../vocabulary/errors.ts";
import type { Verb } from "../vocabulary/verbs.ts";
import type { SenderKind, Target } from "./sender.ts";

/** Every verb that acts, and the one that ends the daemon. */
export type Act = Verb | "QUIT";

/** Allowed; allowed where the configuration says so; or the refusal. */
export type Ruling = "yes" | "if agents_act" | "if mesh" | Refusal;

export type Refusal = "itself" | "ancestor" | "people" | "log" | "daemon" | "depth" | "nameless";

type Rule = Readonly<Record<SenderKind, Ruling | Readonly<Record<Target, Ruling>>>>;

const people = { person: "yes", nameless: "yes", node: "if mesh" } as const;
const agents = <R extends Rule["agent"]>(ruling: R) => ({ agent: ruling, child: ruling, client: ruling });
const byTarget = { own: "itself", ancestor: "ancestor", started: "yes", other: "if agents_act" } as const;

const steering: Rule = { ...people, ...agents(byTarget) };
// A name is needed: the log is to say who gave the answer, and who has none might be anybody's agent.
const answering: Rule = { person: "yes", nameless: "nameless", node: "nameless", ...agents("people") };
const rewriting: Rule = { ...people, ...agents("log") };

export const rules: Readonly<Partial<Record<Act, Rule>>> = {
  "agent.session.start": { ...people, agent: "yes", child: "depth", client: "yes" },
  "agent.session.resume": { ...people, agent: byTarget, child: "depth", client: byTarget },
  "agent.session.prompt": steering,
  "agent.session.cancel": steering,
  "agent.session.set_config": steering,
  "agent.session.close": steering,
  "agent.permission.answer": answering,
  "agent.elicitation.answer": answering,
  "agent.session.purge": rewriting,
  "agent.log.prune": rewriting,
  "agent.log.redact": rewriting,
  QUIT: { ...people, ...agents("daemon") },
};

/** The message says what to do. */
export const refusals: Readonly<
  Record<Refusal | "if agents_act" | "if mesh", { readonly code: ErrorCode; readonly message: string }>
> = {
  itself: {
    code: "AGENT_SELF",
    message: "an agent may not act on its own session: ask the person you work for",
  },
  ancestor: {
    code: "AGENT_SELF",
    message: "an agent may not act on the session that started its own: give your answer, and its agent will read it",
  },
  "if agents_act": {
    code: "AGENT_SELF",
    message:
      'an agent acts on sessions that it started and on no others; agents_act = "any" in the configuration allows more',
  },
  people: {
    code: "AGENT_SELF",
    message:
      "an agent's own program may not answer for people: a person does, with mix, at the desktop or by another program",
  },
  log: { code: "AGENT_SELF", message: "an agent may not take anything out of the log: a person may, with mix" },
  daemon: { code: "AGENT_SELF", message: "an agent may not end agentd: a person may, with mix agent stop" },
  depth: { code: "AGENT_DEPTH", message: "a session that an agent started may not start or resume sessions itself" },
  nameless: {
    code: "UNSUPPORTED",
    message: "an answer needs a name on this node's Bus: register one with noded.register, then answer",
  },
  "if mesh": {
    code: "UNSUPPORTED",
    message:
      'acting commands from other nodes are refused here: set mesh = "answer" in the configuration to allow them',
  },
};

/** What a start (or what is set of a session) may be given: anything, what the sender's own session has, or nothing. */
export type Bound = "any" | "own" | "none";

interface GrantRule {
  readonly agent: Bound;
  readonly client: Bound;
  /** The argument that gives it, and others that do. */
  readonly field: string;
  readonly also?: string;
  readonly what: string;
  /** Says what to do. */
  readonly refusal: string;
}

/** People, programs without a name and other nodes may give anything that the configuration allows. */
export const grants = {
  command: {
    agent: "none",
    client: "none",
    field: "mcp_servers",
    what: "a server with a `command`",
    refusal: "an agent may name no server with a command: leave it out, or name one by its url",
  },
  variable: {
    agent: "none",
    client: "none",
    field: "mcp_servers",
    what: 'a value `{"env": NAME}`',
    refusal: 'an agent may have no value read from a variable ({"env": NAME}): leave it out',
  },
  env: {
    agent: "own",
    client: "none",
    field: "env",
    what: "a variable",
    refusal: "an agent may pass on no variable that its own session was not given: leave it out",
  },
  directory: {
    agent: "own",
    client: "any",
    field: "cwd",
    also: "`additional_dirs`",
    what: "a directory",
    refusal:
      "an agent may name none but those of its own session and what is in them, links followed, and it must be there",
  },
  mode: {
    agent: "none",
    client: "none",
    field: "config",
    also: "`option` of set_config",
    what: "an option of category `mode`",
    refusal: "modes are set by people alone: leave it out, or ask the person you work for",
  },
  policy: {
    agent: "own",
    client: "none",
    field: "policy",
    what: "a policy",
    refusal: "an agent may give no other policy than its own to what it starts: leave it out",
  },
  name: {
    agent: "own",
    client: "own",
    field: "name",
    what: "a name that leads to a session already",
    refusal: "people reach another session by this name: take another",
  },
} as const satisfies Readonly<Record<string, GrantRule>>;
export type Grant = keyof typeof grants;

/** Of the live sessions, those that agents may have begun together: a person can always begin one. */
export function agentSessionsMax(maxSessions: number): number {
  return Math.floor(maxSessions / 2);
}
