// SPDX-License-Identifier: MIT OR Apache-2.0
// Every verb with one line about it; its file is loaded only when it is called.
import type { VerbTable } from "../input/verb.ts";

export const agentVerbs: VerbTable = {
  start: { summary: "start an agent as a session, and follow its first turn", load: () => import("./start.ts") },
  send: { summary: "send a prompt to a session, and follow its turn", load: () => import("./send.ts") },
  attach: { summary: "live view of a session and a prompt line", load: () => import("./attach.ts") },
  cancel: { summary: "cancel a session's turns", load: () => import("./cancel.ts") },
  resume: { summary: "bring an ended session back", load: () => import("./resume.ts") },
  close: { summary: "end a session's agent properly", load: () => import("./close.ts") },
  set: { summary: "set options of a session: mode, model and others", load: () => import("./set.ts") },
  permit: { summary: "list, show, allow or deny what agents ask for", load: () => import("./permit.ts") },
  answer: { summary: "answer what agents want to be told", load: () => import("./answer.ts") },
  policy: { summary: "what a policy would answer, and why", load: () => import("./policy.ts") },
  ls: { summary: "list sessions", load: () => import("./ls.ts") },
  show: { summary: "one session as it is now", load: () => import("./show.ts") },
  log: { summary: "a session's log, entry by entry", load: () => import("./log.ts") },
  wait: { summary: "wait until sessions are idle, waiting or ended", load: () => import("./wait.ts") },
  export: { summary: "a session and its log as lines of JSON", load: () => import("./export.ts") },
  purge: { summary: "remove an ended session's entries for good", load: () => import("./purge.ts") },
  prune: { summary: "purge ended sessions older than a time", load: () => import("./prune.ts") },
  redact: { summary: "take a secret out of the log", load: () => import("./redact.ts") },
  verify: { summary: "check the log", load: () => import("./verify.ts") },
  stats: { summary: "how much the log takes", load: () => import("./stats.ts") },
  agents: { summary: "the agents that can be started", load: () => import("./agents.ts") },
  status: { summary: "the daemon: process, Bus, log, limits", load: () => import("./status.ts") },
  stop: { summary: "stop the daemon and close its sessions", load: () => import("./stop.ts") },
};

export const busVerbs: VerbTable = {
  services: { summary: "list who is on the Bus", load: () => import("./services.ts") },
  help: { summary: "what a service can do", load: () => import("./help.ts") },
  call: { summary: "call a service: key=value…", load: () => import("./call.ts") },
  listen: { summary: "print what is published on a topic", load: () => import("./listen.ts") },
  notify: { summary: "what people are asked: list, answer, watch", load: () => import("./notify.ts") },
  bus: { summary: "run a Bus of one's own in the foreground", load: () => import("./bus.ts") },
  completion: { summary: "completion for bash, zsh or fish", load: () => import("./completion.ts") },
};

/** For programs: no help lists it. */
export const unlistedVerbs: VerbTable = {
  complete: {
    summary: "candidates for a completion script",
    load: async () => (await import("./complete.ts")).completeVerb({ agentVerbs, busVerbs }),
  },
};
