// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs of `notify`: arguments are parsed at this door, callers are told apart by the name that the broker stamped.
import Database from "better-sqlite3";
import { type Answer, done, type Request, refused, type Verb } from "../bus-client/index.ts";
import {
  isAgentCitizen,
  notifyArguments,
  type NotifyArguments,
  type NotifyAsk,
  type NotifyErrorCode,
  notifyLimits,
  type NotifyReplies,
  notifyService,
  type NotifyVerb,
  parseArguments,
} from "../agentd/vocabulary/index.ts";
import type { Asks } from "./asks.ts";

export interface VerbsOptions {
  readonly asks: Asks;
  readonly now: () => number;
  /** An ask is there, or has ended, and that is on disk. */
  readonly onAsked: (ask: NotifyAsk) => void;
  readonly onEnded: (ask: NotifyAsk) => void;
  readonly tell: (told: NotifyArguments<"tell">, from: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

export function notifyVerbs(options: VerbsOptions): Verb[] {
  const verb = <V extends NotifyVerb>(
    name: V,
    args: readonly string[],
    description: string,
    handle: (args: NotifyArguments<V>, request: Request) => Answer,
    readOnly = false,
  ): Verb => ({
    name: `${notifyService}.${name}`,
    args,
    description,
    readOnly,
    handler: (request) => {
      const parsed = parseArguments(notifyArguments[name], request.args);
      if (!parsed.ok) return refuse("ARGUMENT", parsed.error.message, { field: parsed.error.field });
      // Nobody vouches for who is behind another node: it may read, and that is all.
      if (!readOnly && request.origin === "mesh") return refuse("UNSUPPORTED", "not for callers from other nodes");
      try {
        // Nobody is shown an ask as open that takes no answer any more.
        for (const over of options.asks.expireOverdue()) options.onEnded(over);
        return handle(parsed.args as NotifyArguments<V>, request);
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        options.onFault(error);
        return refuse("STORE_FAILED", `the store cannot be read or written (${error.code}): nothing was done`);
      }
    },
  });
  return [
    verb(
      "ask",
      ["title", "body?", "options", "expires_at?", "source?", "ref"],
      "Ask a person; answers at once. The same ref again is the same ask",
      (args, request) => ask(options, args, request),
    ),
    verb("get", ["ask"], "An ask: its state, and the answer where there is one", (args) => get(options, args), true),
    verb(
      "withdraw",
      ["ask", "reason", "note_answer?"],
      "Take an ask back; of one that has ended, take note of how",
      (args, request) => withdraw(options, args, request),
    ),
    verb("tell", ["title", "body?", "urgency?"], "Show something on the desktop, if there is one", (args, request) => {
      return request.from === null ? nameless("tell") : answered({ shown: options.tell(args, request.from) });
    }),
    verb(
      "list",
      ["state?", "source?", "label?", "noted?", "after?"],
      "Asks, oldest first",
      (args) => answered(options.asks.list(args)),
      true,
    ),
    verb("answer", ["ask", "option", "via?"], "Answer an ask, as a person", (args, request) =>
      answer(options, args, request),
    ),
  ];
}

function ask({ asks, now, onAsked }: VerbsOptions, args: NotifyArguments<"ask">, { from }: Request): Answer {
  if (from === null) return nameless("ask");
  const wrong = whyNotUntil(args.expires_at, now());
  if (wrong !== undefined) return refuse("ARGUMENT", `expires_at: ${wrong}`, { field: "expires_at" });
  const asked = asks.ask(from, args);
  switch (asked.kind) {
    case "full":
      return refuse("BUSY", asked.why);
    case "conflict":
      return refuse("ASK_CONFLICT", `${from} has asked something else under "${args.ref}"`, { ask: asked.ask.ask });
    case "asked":
      if (asked.isNew) onAsked(asked.ask);
      return answered({ ask: asked.ask.ask, state: asked.ask.state });
  }
}

function whyNotUntil(expiresAt: string | null, now: number): string | undefined {
  if (expiresAt === null) return undefined;
  const ahead = Date.parse(expiresAt) - now;
  if (!(ahead > 0)) return "that time is over";
  return ahead > notifyLimits.aheadMsMax ? "more than 31 days ahead; leave it out to wait for ever" : undefined;
}

function get({ asks }: VerbsOptions, args: NotifyArguments<"get">): Answer {
  const found = asks.get(args.ask);
  return found === undefined ? unknown(args.ask) : answered(found);
}

function withdraw({ asks, onEnded }: VerbsOptions, args: NotifyArguments<"withdraw">, { from }: Request): Answer {
  const found = asks.get(args.ask);
  if (found === undefined) return unknown(args.ask);
  if (from !== found.source) return refuse("NOT_YOURS", `only ${found.source}, who asked, may withdraw`);
  const ending = asks.withdraw(args.ask, args.reason, args.note_answer);
  if (ending.changed) onEnded(ending.ask);
  return answered(ending.ask);
}

function answer({ asks, onEnded }: VerbsOptions, args: NotifyArguments<"answer">, { from }: Request): Answer {
  if (from === null) return nameless("answer");
  if (isAgentCitizen(from)) {
    return refuse("AGENT_SELF", `${from} is an agent's own program: it may not answer for people`);
  }
  const found = asks.get(args.ask);
  if (found === undefined) return unknown(args.ask);
  if (found.state === "open" && !found.options.some(({ option }) => option === args.option)) {
    const options = found.options.map(({ option }) => option);
    return refuse("OPTION_UNKNOWN", `"${args.option}" is not among the options: ${options.join(", ")}`, { options });
  }
  const before = found.state;
  const ending = asks.answer(args.ask, args.option, { via: args.via ?? null, by: from });
  if (ending.ask.state !== before) onEnded(ending.ask);
  return ending.changed ? answered(ending.ask) : closed(ending.ask);
}

function closed(found: NotifyAsk): Answer {
  const { ask: id, state } = found;
  switch (found.state) {
    case "answered": {
      const { answer: given } = found;
      const who = given.by ?? given.via ?? "somebody";
      return refuse("REQUEST_CLOSED", `${who} answered "${given.option}" before`, { ask: id, state, answer: given });
    }
    case "withdrawn":
      return refuse("REQUEST_CLOSED", `withdrawn: ${found.reason}`, { ask: id, state, reason: found.reason });
    case "expired":
      return refuse("REQUEST_CLOSED", "its time was over", { ask: id, state });
    case "open":
      throw new Error("an open ask was not answered");
  }
}

function answered(reply: NotifyReplies[NotifyVerb]): Answer {
  return done(reply);
}

function unknown(id: string): Answer {
  return refuse("ASK_UNKNOWN", `no ask "${id}"; notify.list lists them`, { ask: id });
}

function nameless(what: string): Answer {
  return refuse("UNSUPPORTED", `${what} is for those who have a name on the Bus`);
}

function refuse(code: NotifyErrorCode, message: string, extra: object = {}): Answer {
  return refused(code, message, extra);
}
