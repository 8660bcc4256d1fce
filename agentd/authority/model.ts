// SPDX-License-Identifier: MIT OR Apache-2.0
// Who may do what, as data. docs/authority.md shows it, and the tests are generated from it. Reading is open to everyone.
import type { ErrorCode } from "../vocabulary/errors.ts";
import type { Verb } from "../vocabulary/verbs.ts";
import type { SenderKind, Target } from "./sender.ts";

/** A verb that acts, or QUIT, which stops the daemon. */
export type Act = Verb | "QUIT";

/** Allowed, allowed if the configuration says so, or refused for a reason. */
export type Ruling = "yes" | "if agents_act" | "if mesh" | Refusal;

export type Refusal =
  | "itself"
  | "ancestor"
  | "people"
  | "log"
  | "editor"
  | "probe"
  | "login"
  | "daemon"
  | "depth"
  | "nameless";

type Rule = Readonly<Record<SenderKind, Ruling | Readonly<Record<Target, Ruling>>>>;

const people = { person: "yes", nameless: "yes", node: "if mesh" } as const;
const agents = <R extends Rule["agent"]>(ruling: R) => ({ agent: ruling, child: ruling, client: ruling });
const byTarget = { own: "itself", ancestor: "ancestor", started: "yes", other: "if agents_act" } as const;

const steering: Rule = { ...people, ...agents(byTarget) };
// The log has to name who answered, and a sender without a name could be an agent.
const answering: Rule = { person: "yes", nameless: "nameless", node: "nameless", ...agents("people") };
// The citizen that agentd calls must be the one that asked for it, and an agent must not read and write for another.
const leasing: Rule = { person: "yes", nameless: "nameless", node: "nameless", ...agents("editor") };
const rewriting: Rule = { ...people, ...agents("log") };

export const rules: Readonly<Partial<Record<Act, Rule>>> = {
  "agent.session.start": { ...people, agent: "yes", child: "depth", client: "yes" },
  "agent.session.resume": { ...people, agent: byTarget, child: "depth", client: byTarget },
  "agent.session.prompt": steering,
  "agent.session.cancel": steering,
  "agent.session.set_config": steering,
  "agent.session.close": steering,
  "agent.session.rename": steering,
  "agent.session.forget": steering,
  "agent.session.attach": leasing,
  "agent.session.detach": leasing,
  "agent.permission.answer": answering,
  "agent.elicitation.answer": answering,
  "agent.login": { person: "yes", nameless: "nameless", node: "nameless", ...agents("login") },
  "agent.session.purge": rewriting,
  "agent.log.prune": rewriting,
  "agent.log.redact": rewriting,
  "agent.probe": { ...people, ...agents("probe") },
  QUIT: { ...people, ...agents("daemon") },
};

/** The errors. Each message says what to do instead. */
export const refusals: Readonly<
  Record<Refusal | "if agents_act" | "if mesh", { readonly code: ErrorCode; readonly message: string }>
> = {
  itself: {
    code: "AGENT_SELF",
    message: "an agent may not act on its own session; ask the person you work for",
  },
  ancestor: {
    code: "AGENT_SELF",
    message: "an agent may not act on the session that started its own; give your answer, and its agent will read it",
  },
  "if agents_act": {
    code: "AGENT_SELF",
    message: 'an agent may act only on sessions that it started; agents_act = "any" in the configuration allows more',
  },
  people: {
    code: "AGENT_SELF",
    message:
      "a program of an agent may not answer for people; a person can, with mix, at the desktop or by another program",
  },
  log: { code: "AGENT_SELF", message: "an agent may not remove anything from the log; a person can, with mix" },
  editor: {
    code: "AGENT_SELF",
    message: "a program of an agent may not be a session's editor; a person's program can",
  },
  probe: {
    code: "AGENT_SELF",
    message:
      "an agent may not probe agents, which costs calls of their models; a person can, with mix agent agents probe",
  },
  login: {
    code: "AGENT_SELF",
    message: "an agent may not log in to agents; a person can, with mix agent agents login",
  },
  daemon: { code: "AGENT_SELF", message: "an agent may not stop agentd; a person can, with mix agent stop" },
  depth: { code: "AGENT_DEPTH", message: "a session that an agent started may not start or resume sessions itself" },
  nameless: {
    code: "UNSUPPORTED",
    message: "this needs a name on this node's Bus; register one with noded.register, then call again",
  },
  "if mesh": {
    code: "UNSUPPORTED",
    message:
      'acting commands from other nodes are refused here; set mesh = "answer" in the configuration to allow them',
  },
};

/** What a sender may give to a session: anything, only what its own session has, or nothing. */
export type Bound = "any" | "own" | "none";

interface GrantRule {
  /** Senders without a name, and other nodes. */
  readonly others: Bound;
  readonly agent: Bound;
  readonly client: Bound;
  /** The argument that carries it; `also`: other such arguments. */
  readonly field: string;
  readonly also?: string;
  readonly what: string;
  readonly refusal: string;
}

/** People may give anything that the configuration allows. */
export const grants = {
  program: {
    others: "none",
    agent: "none",
    client: "none",
    field: "command",
    what: "a program that the catalogue does not have",
    refusal: "only a person with a name on this node's Bus may start a program that the catalogue does not have",
  },
  command: {
    others: "any",
    agent: "none",
    client: "none",
    field: "mcp_servers",
    what: "a server with a `command`",
    refusal: "an agent may not give a server with a command; leave it out, or give one with a url",
  },
  variable: {
    others: "any",
    agent: "none",
    client: "none",
    field: "mcp_servers",
    what: 'a value `{"env": NAME}`',
    refusal: 'an agent may not have a value read from a variable ({"env": NAME}); leave it out',
  },
  env: {
    others: "any",
    agent: "own",
    client: "none",
    field: "env",
    what: "a variable",
    refusal: "an agent may not pass on a variable that its own session was not given; leave it out",
  },
  directory: {
    others: "any",
    agent: "own",
    client: "any",
    field: "cwd",
    also: "`additional_dirs`",
    what: "a directory",
    refusal:
      "an agent may give only existing directories within those of its own session, with symbolic links resolved",
  },
  mode: {
    others: "any",
    agent: "none",
    client: "none",
    field: "config",
    also: "`option` of set_config",
    what: "an option of category `mode`",
    refusal: "only people may set a mode; leave it out, or ask the person you work for",
  },
  policy: {
    others: "any",
    agent: "own",
    client: "none",
    field: "policy",
    what: "a policy",
    refusal: "an agent may give only its own policy to a session that it starts; leave it out",
  },
  name: {
    others: "any",
    agent: "own",
    client: "own",
    field: "name",
    what: "a name that leads to a session already",
    refusal: "another session has this name; choose a different one",
  },
} as const satisfies Readonly<Record<string, GrantRule>>;
export type Grant = keyof typeof grants;

/** How many of the live sessions all agents together may have started, so that people can always start one. */
export function agentSessionsMax(maxSessions: number): number {
  return Math.floor(maxSessions / 2);
}
