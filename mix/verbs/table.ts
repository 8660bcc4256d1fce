// SPDX-License-Identifier: MIT OR Apache-2.0
// All verbs with their summaries. A verb's file is loaded only when the verb is called.
import type { VerbTable } from "../input/verb.ts";

export const agentVerbs: VerbTable = {
  start: { summary: "start an agent as a session, and follow its first turn", load: () => import("./start.ts") },
  send: { summary: "send a prompt to a session, and follow its turn", load: () => import("./send.ts") },
  attach: { summary: "watch a session live, with a prompt line", load: () => import("./attach.ts") },
  cancel: { summary: "cancel a session's turns", load: () => import("./cancel.ts") },
  resume: { summary: "resume an ended session", load: () => import("./resume.ts") },
  close: { summary: "close a session and end its agent", load: () => import("./close.ts") },
  set: { summary: "set a session's options: mode, model and others", load: () => import("./set.ts") },
  permit: { summary: "list, show, allow or deny permission requests", load: () => import("./permit.ts") },
  answer: { summary: "answer agents' requests for input", load: () => import("./answer.ts") },
  policy: { summary: "test what a policy would answer, and why", load: () => import("./policy.ts") },
  ls: { summary: "list sessions", load: () => import("./ls.ts") },
  show: { summary: "show a session's current state", load: () => import("./show.ts") },
  log: { summary: "print a session's log, entry by entry", load: () => import("./log.ts") },
  wait: { summary: "wait until sessions are idle, waiting or ended", load: () => import("./wait.ts") },
  export: { summary: "write a session and its log as lines of JSON", load: () => import("./export.ts") },
  purge: { summary: "permanently remove an ended session's entries", load: () => import("./purge.ts") },
  prune: { summary: "purge ended sessions older than a time", load: () => import("./prune.ts") },
  redact: { summary: "remove a secret from the log", load: () => import("./redact.ts") },
  verify: { summary: "check the log's integrity", load: () => import("./verify.ts") },
  stats: { summary: "show the log's size and largest sessions", load: () => import("./stats.ts") },
  agents: { summary: "list the agents that can be started", load: () => import("./agents.ts") },
  status: { summary: "show the daemon: process, Bus, log, limits", load: () => import("./status.ts") },
  stop: { summary: "stop the daemon and close its sessions", load: () => import("./stop.ts") },
};

export const busVerbs: VerbTable = {
  services: { summary: "list the services on the Bus", load: () => import("./services.ts") },
  help: { summary: "list a service's verbs", load: () => import("./help.ts") },
  call: { summary: "call a service: key=value…", load: () => import("./call.ts") },
  listen: { summary: "print what is published on a topic", load: () => import("./listen.ts") },
  notify: { summary: "list, answer or watch what people are asked", load: () => import("./notify.ts") },
  bus: { summary: "run a Bus in the foreground", load: () => import("./bus.ts") },
  completion: { summary: "print completion for bash, zsh or fish", load: () => import("./completion.ts") },
};

/** Verbs that only programs call; no help lists them. */
export const unlistedVerbs: VerbTable = {
  complete: {
    summary: "print candidates for a completion script",
    load: async () => (await import("./complete.ts")).completeVerb({ agentVerbs, busVerbs }),
  },
};
