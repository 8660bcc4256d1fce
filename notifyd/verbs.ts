// SPDX-License-Identifier: MIT OR Apache-2.0
// The verbs of the service `notify`. Parses arguments, and identifies callers by the name that the broker stamped.
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
  /** Called after the change is on disk. */
  readonly onAsked: (ask: NotifyAsk) => void;
  readonly onEnded: (ask: NotifyAsk) => void;
  readonly tell: (told: NotifyArguments<"tell">, from: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

type Handle<V extends NotifyVerb> = (options: VerbsOptions, args: NotifyArguments<V>, request: Request) => Answer;

export function notifyVerbs(options: VerbsOptions): Verb[] {
  const verb = <V extends NotifyVerb>(
    name: V,
    args: readonly string[],
    description: string,
    handle: Handle<V>,
    readOnly = false,
  ): Verb => ({
    name: `${notifyService}.${name}`,
    args,
    description,
    readOnly,
    handler: (request) => {
      const parsed = parseArguments(notifyArguments[name], request.args);
      if (!parsed.ok) return refuse("ARGUMENT", parsed.error.message, { field: parsed.error.field });
      // Callers from other nodes cannot be identified, so they may only read.
      if (!readOnly && request.origin === "mesh")
        return refuse("UNSUPPORTED", "callers from other nodes may only read");
      try {
        // An overdue ask must not be reported as open.
        for (const expired of options.asks.expireOverdue()) options.onEnded(expired);
        return handle(options, parsed.args as NotifyArguments<V>, request);
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        options.onFault(error);
        return refuse("STORE_FAILED", `the store cannot be read or written (${error.code}); nothing was changed`);
      }
    },
  });
  return [
    verb(
      "ask",
      ["title", "body?", "options", "expires_at?", "source?", "ref"],
      "Ask a person; replies at once. Repeating a ref returns the same ask",
      ask,
    ),
    verb("get", ["ask"], "Get an ask: its state, and its answer if it has one", get, true),
    verb("withdraw", ["ask", "reason", "note_answer?"], "Withdraw an ask, or note how it ended", withdraw),
    verb("tell", ["title", "body?", "urgency?"], "Show a notification on the desktop, if there is one", tell),
    verb("list", ["state?", "source?", "label?", "noted?", "after?"], "List asks, oldest first", list, true),
    verb("answer", ["ask", "option", "via?"], "Answer an ask, as a person", answer),
  ];
}

function ask({ asks, now, onAsked }: VerbsOptions, args: NotifyArguments<"ask">, { from }: Request): Answer {
  if (from === null) return refuseAnonymous("ask");
  const error = expiryError(args.expires_at, now());
  if (error !== undefined) return refuse("ARGUMENT", `expires_at: ${error}`, { field: "expires_at" });
  const asked = asks.ask(from, args);
  switch (asked.kind) {
    case "full":
      return refuse("BUSY", asked.why);
    case "conflict":
      return refuse("ASK_CONFLICT", `${from} has already asked another question with the ref "${args.ref}"`, {
        ask: asked.ask.ask,
      });
    case "asked":
      if (asked.isNew) onAsked(asked.ask);
      return answered({ ask: asked.ask.ask, state: asked.ask.state });
  }
}

function expiryError(expiresAt: string | null, now: number): string | undefined {
  if (expiresAt === null) return undefined;
  const ahead = Date.parse(expiresAt) - now;
  if (!(ahead > 0)) return "the time is in the past";
  return ahead > notifyLimits.aheadMsMax ? "more than 31 days ahead; leave it out to wait forever" : undefined;
}

function get({ asks }: VerbsOptions, args: NotifyArguments<"get">): Answer {
  const found = asks.get(args.ask);
  return found === undefined ? refuseUnknownAsk(args.ask) : answered(found);
}

function tell(options: VerbsOptions, args: NotifyArguments<"tell">, { from }: Request): Answer {
  return from === null ? refuseAnonymous("tell") : answered({ shown: options.tell(args, from) });
}

function list({ asks }: VerbsOptions, args: NotifyArguments<"list">): Answer {
  return answered(asks.list(args));
}

function withdraw({ asks, onEnded }: VerbsOptions, args: NotifyArguments<"withdraw">, { from }: Request): Answer {
  const found = asks.get(args.ask);
  if (found === undefined) return refuseUnknownAsk(args.ask);
  if (from !== found.source) return refuse("NOT_YOURS", `only ${found.source}, which asked, may withdraw`);
  const ending = asks.withdraw(args.ask, args.reason, args.note_answer);
  if (ending.changed) onEnded(ending.ask);
  return answered(ending.ask);
}

function answer({ asks, onEnded }: VerbsOptions, args: NotifyArguments<"answer">, { from }: Request): Answer {
  if (from === null) return refuseAnonymous("answer");
  if (isAgentCitizen(from)) {
    return refuse("AGENT_SELF", `${from} is an agent's own program, which may not answer for people`);
  }
  const found = asks.get(args.ask);
  if (found === undefined) return refuseUnknownAsk(args.ask);
  if (found.state === "open" && !found.options.some(({ option }) => option === args.option)) {
    const options = found.options.map(({ option }) => option);
    return refuse(
      "OPTION_UNKNOWN",
      `"${args.option}" is not an option of this ask; choose one of: ${options.join(", ")}`,
      { options },
    );
  }
  const before = found.state;
  const ending = asks.answer(args.ask, args.option, { via: args.via ?? null, by: from });
  if (ending.ask.state !== before) onEnded(ending.ask);
  return ending.changed ? answered(ending.ask) : refuseClosed(ending.ask);
}

function refuseClosed(found: NotifyAsk): Answer {
  const { ask: id, state } = found;
  switch (found.state) {
    case "answered": {
      const { answer: given } = found;
      const who = given.by ?? given.via ?? "somebody";
      return refuse("REQUEST_CLOSED", `${who} has already answered "${given.option}"`, {
        ask: id,
        state,
        answer: given,
      });
    }
    case "withdrawn":
      return refuse("REQUEST_CLOSED", `withdrawn: ${found.reason}`, { ask: id, state, reason: found.reason });
    case "expired":
      return refuse("REQUEST_CLOSED", "the ask has expired", { ask: id, state });
    case "open":
      throw new Error("an open ask was not answered");
  }
}

function answered(reply: NotifyReplies[NotifyVerb]): Answer {
  return done(reply);
}

function refuseUnknownAsk(id: string): Answer {
  return refuse("ASK_UNKNOWN", `no ask "${id}"; notify.list lists all`, { ask: id });
}

function refuseAnonymous(what: string): Answer {
  return refuse("UNSUPPORTED", `${what} requires a registered name on the Bus`);
}

function refuse(code: NotifyErrorCode, message: string, extra: object = {}): Answer {
  return refused(code, message, extra);
}
