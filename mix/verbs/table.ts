// SPDX-License-Identifier: MIT OR Apache-2.0
// All verbs with their summaries.
import * as call from "./call.ts";
import * as cancel from "./cancel.ts";
import * as completion from "./completion.ts";
import * as exportVerb from "./export.ts";
import * as help from "./help.ts";
import * as listen from "./listen.ts";
import * as ls from "./ls.ts";
import * as policy from "./policy.ts";
import * as prune from "./prune.ts";
import * as purge from "./purge.ts";
import * as redact from "./redact.ts";
import * as rename from "./rename.ts";
import * as services from "./services.ts";
import * as set from "./set.ts";
import * as stats from "./stats.ts";
import * as status from "./status.ts";
import * as stop from "./stop.ts";
import * as verify from "./verify.ts";
import * as wait from "./wait.ts";
import type * as Large from "./large.ts";
import { completeVerb } from "./complete.ts";
import type { VerbTable } from "../input/verb.ts";

const large = (name: keyof typeof Large) => async () => (await import("./large.ts"))[name];

/** What `mix agent` shows at a terminal. */
export const overview = large("overview");

export const agentVerbs: VerbTable = {
  start: { summary: "start an agent as a session, and follow its first turn", verb: large("start") },
  send: { summary: "send a prompt to a session, and follow its turn", verb: large("send") },
  acp: { summary: "speak ACP with an editor, on stdin and stdout", verb: () => import("./acp.ts") },
  attach: { summary: "watch a session live, with a prompt line", verb: large("attach") },
  cancel: { summary: "cancel a session's turns", verb: cancel },
  resume: { summary: "resume an ended session", verb: large("resume") },
  close: { summary: "close a session and end its agent", verb: large("close") },
  rename: { summary: "give a session another name", verb: rename },
  set: { summary: "set a session's options: mode, model and others", verb: set },
  permit: { summary: "list, show, allow or deny permission requests", verb: large("permit") },
  answer: { summary: "answer agents' requests for input", verb: large("answer") },
  policy: { summary: "test what a policy would answer, and why", verb: policy },
  ls: { summary: "list sessions (also: ps)", alias: "ps", verb: ls },
  show: { summary: "show a session's current state", verb: large("show") },
  log: { summary: "print a session's log, entry by entry", verb: large("log") },
  wait: { summary: "wait until sessions are idle, waiting or ended", verb: wait },
  export: { summary: "write a session and its log as lines of JSON", verb: exportVerb },
  purge: { summary: "permanently remove an ended session's entries", verb: purge },
  prune: { summary: "purge ended sessions older than a time", verb: prune },
  redact: { summary: "remove a secret from the log", verb: redact },
  verify: { summary: "check the log's integrity", verb: verify },
  stats: { summary: "show the log's size and largest sessions", verb: stats },
  agents: { summary: "list the agents that can be started", verb: large("agents") },
  setup: { summary: "find agents, log in, and try one: asks at each step", verb: large("setup") },
  login: { summary: "log in to an agent (also: agents login)", verb: large("login") },
  env: { summary: "store keys and other secret values for agents", verb: large("env") },
  doctor: { summary: "check this machine, and say how to mend it", verb: large("doctor") },
  status: { summary: "show the daemon: process, Bus, log, limits", verb: status },
  stop: { summary: "stop the daemon and close its sessions", verb: stop },
};

export const busVerbs: VerbTable = {
  services: { summary: "list the services on the Bus", verb: services },
  help: { summary: "list a service's verbs", verb: help },
  call: { summary: "call a service: key=value…", verb: call },
  listen: { summary: "print what is published on a topic", verb: listen },
  notify: { summary: "list, answer or watch what people are asked", verb: large("notify") },
  bus: { summary: "run a Bus in the foreground", verb: large("bus") },
  completion: { summary: "print completion for bash, zsh or fish", verb: completion },
};

/** Verbs that only programs call; no help lists them. */
export const unlistedVerbs: VerbTable = {
  complete: {
    summary: "print candidates for a completion script",
    verb: completeVerb({ agentVerbs, busVerbs }),
  },
};
