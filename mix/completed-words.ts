// SPDX-License-Identifier: MIT OR Apache-2.0
// What may stand for a word or a flag's value of each verb, for shells: fixed words, or a command that prints them.

import { entryKinds, sessionPhases } from "./bus/vocabulary-values.ts";

/** `command`: run at each press of Tab, so it is a short one, and starts nothing. */
export type Candidates = { readonly words: string } | { readonly command: string };

const words = (text: string): Candidates => ({ words: text });
const printedBy = (command: string): Candidates => ({ command });

const live = printedBy("mix agent ls --quiet --no-autostart");
const ended = printedBy("mix agent ls --state closed,lost,failed --quiet --no-autostart");
const all = printedBy("mix agent ls --all --quiet --no-autostart");
const services = printedBy("mix services --quiet");

/** By place after the verb. */
export const agentWords: Readonly<Record<string, readonly Candidates[]>> = {
  start: [printedBy("mix agent agents --quiet --no-autostart")],
  send: [live],
  attach: [live],
  cancel: [live],
  resume: [ended],
  close: [live],
  set: [live],
  permit: [words("ls show allow deny"), printedBy("mix agent permit ls --quiet --no-autostart")],
  answer: [printedBy("mix agent answer --quiet --no-autostart")],
  policy: [words("test")],
  show: [all],
  log: [all],
  wait: [live, live, live, live],
  export: [all],
  purge: [ended],
};

export const busWords: Readonly<Record<string, readonly Candidates[]>> = {
  help: [services],
  call: [services],
  listen: [words("agent.session.updated")],
  notify: [words("ls answer watch"), printedBy("mix notify ls --quiet")],
  completion: [words("bash zsh fish")],
};

/** One flag means the same wherever it is taken. */
export const flagWords: Readonly<Record<string, Candidates>> = {
  agent: printedBy("mix agent agents --quiet --no-autostart"),
  for: words("idle waiting ended any"),
  kind: words(entryKinds.join(" ")),
  session: all,
  state: words(sessionPhases.join(" ")),
};
