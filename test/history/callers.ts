// SPDX-License-Identifier: MIT OR Apache-2.0
// The model: what several callers have asked, what they were told, and what the log must therefore hold. It knows nothing
// of how agentd decides; faults are sentences.
import type { Log } from "../../agentd/log/open.ts";
import type { SentReply } from "../../agentd/session/mailbox/posted-input.ts";
import { type Entry, instanceSession, type Verb } from "../../agentd/vocabulary/index.ts";
import type { Logged } from "../crash/logged.ts";

export type AskedVerb = Extract<
  Verb,
  `agent.session.${"start" | "resume" | "prompt" | "cancel" | "close" | "set_config"}` | "agent.permission.answer"
>;

export interface Given {
  readonly verb: AskedVerb;
  readonly args: Readonly<Record<string, unknown>>;
  readonly commandId?: string;
  /** In which its id is unique. */
  readonly scope: string;
}

interface Told {
  readonly rc: number;
  readonly body: string;
}

export class Callers {
  readonly faults: string[] = [];
  readonly given: Given[] = [];
  /** `known`: its id was taken already when it was asked. */
  readonly #waiting = new Map<number, { readonly given: Given; readonly known: boolean }>();
  /** Of each accepted id, the reply that everybody gets. */
  readonly #accepted = new Map<string, Told>();
  readonly #told = new Map<Given, Told[]>();
  /** Commands that may have been accepted by an agentd that died before it said so. */
  readonly #unknown = new Set<Given>();
  #next = 1;

  /** A token for one who asks, be it the first time or again. `known`: its id is taken already. */
  ask(given: Given, known: boolean): number {
    if (!this.given.includes(given)) this.given.push(given);
    const token = this.#next;
    this.#next += 1;
    this.#waiting.set(token, { given, known });
    return token;
  }

  /** How many have not been told anything. */
  get waiting(): number {
    return this.#waiting.size;
  }

  replied({ caller, rc, body }: SentReply, log: Log): void {
    const asked = this.#waiting.get(caller);
    if (!asked) return this.#fault(`a caller got a second reply: ${body}`);
    this.#waiting.delete(caller);
    const { given, known } = asked;
    this.#told.set(given, [...(this.#told.get(given) ?? []), { rc, body }]);
    const { commandId: id, scope, verb, args } = given;
    if (id === undefined) return;
    const code = (JSON.parse(body) as { error_code?: string }).error_code;
    const receipt = log.receipts.find(scope, id);
    const same = receipt?.verb === verb && Buffer.compare(receipt.hash, log.receipts.hash(verb, args)) === 0;
    if (code === "COMMAND_CONFLICT") {
      if (!receipt || same) this.#fault(`${id} was called a conflict, and its receipt says otherwise`);
      return;
    }
    if (known && !same) return this.#fault(`${id} is of another command, and was answered ${body}`);
    if (code === "STORE_FAILED") return;
    // A refusal may share its flush with the same command's being accepted, once what was in the way has gone; the reply
    // of a command that was accepted may be a failure.
    if (rc === 0 || known || receipt?.answer?.body === body) {
      if (receipt?.answer?.body !== body || receipt.answer.rc !== rc) {
        this.#fault(`${id} was answered ${body}, and its receipt is ${JSON.stringify(receipt?.answer)}`);
      }
      const first = this.#accepted.get(`${scope}/${id}`);
      if (first && first.body !== body) this.#fault(`${id} was answered ${first.body} and later ${body}`);
      this.#accepted.set(`${scope}/${id}`, { rc, body });
    }
  }

  /** agentd is gone: who waits will not be told by this one. */
  died(): void {
    for (const { given } of this.#waiting.values()) this.#unknown.add(given);
    this.#waiting.clear();
  }

  /** What is missing in the log, or is there without anybody's having asked. */
  check(logged: Logged): string[] {
    const entries = [...logged.sessions.values()].flatMap((session) => session.entries);
    return [...this.faults, ...this.#missing(logged), ...this.#refusedAndLogged(entries), ...this.#unasked(entries)];
  }

  #missing(logged: Logged): string[] {
    return [...this.#told].flatMap(([given, replies]) =>
      replies
        .filter(({ rc }) => rc === 0)
        .flatMap(({ body }) => {
          const reply = JSON.parse(body) as Reply;
          const entries = logged.sessions.get(reply.session)?.entries ?? [];
          const what = traceOf(given, reply, entries.slice(reply.seq - 1));
          return what === undefined ? [] : [`${reply.session}/${reply.seq} ${given.verb}: ${what} (${body})`];
        }),
    );
  }

  #refusedAndLogged(entries: readonly Entry[]): string[] {
    const logged = new Set(entries.flatMap((entry) => (entry.kind === "command" ? keyOf(entry) : [])));
    return this.given.flatMap((given) => {
      const { commandId, scope, verb } = given;
      const key = `${scope}/${commandId}`;
      if (commandId === undefined || this.#accepted.has(key) || !logged.has(`${key}/${verb}`)) return [];
      const lost = this.given.some((other) => other.commandId === commandId && this.#unknown.has(other));
      return lost ? [] : [`${key} was refused and is logged`];
    });
  }

  #unasked(entries: readonly Entry[]): string[] {
    const asked = new Set(this.given.map(({ scope, commandId, verb }) => `${scope}/${commandId}/${verb}`));
    return entries.flatMap((entry) => {
      if (entry.kind !== "command" || entry.command_id === undefined) return [];
      return keyOf(entry).every((key) => asked.has(key)) ? [] : [`nobody asked for ${JSON.stringify(entry)}`];
    });
  }

  #fault(what: string): void {
    this.faults.push(what);
  }
}

interface Reply {
  readonly session: string;
  readonly seq: number;
  readonly turn?: number;
  readonly queued?: boolean;
  readonly turns?: readonly number[];
  readonly request?: string;
  readonly outcome?: string;
}

function keyOf(entry: Entry & { readonly kind: "command" }): string[] {
  const { command_id, verb, session } = entry;
  const scope = verb === "agent.session.start" ? instanceSession : session;
  return command_id === undefined ? [] : [`${scope}/${command_id}/${verb}`];
}

/** What an accepted command's trace lacks. `entries`: from its own on, to the end of the log. */
function traceOf({ verb, args, commandId }: Given, reply: Reply, entries: readonly Entry[]): string | undefined {
  const [command, next] = entries;
  if (command?.kind !== "command" || command.verb !== verb || command.command_id !== commandId) return "no command";
  const answer = entries.find((entry) => entry.kind === "reply" && entry.command_seq === reply.seq);
  if (answer?.kind !== "reply" || JSON.stringify(answer.body) !== JSON.stringify(reply)) return "another reply";
  const has = (fits: (entry: Entry) => boolean, what: string) => (entries.some(fits) ? undefined : what);
  const ended = (turn: number) => (entry: Entry) =>
    entry.kind === "turn" && entry.turn === turn && entry.phase === "ended";
  switch (verb) {
    case "agent.session.start":
    case "agent.session.resume":
      return next?.kind === "state" && next.state === "starting" ? undefined : "no life begins";
    case "agent.session.prompt": {
      const phase = reply.queued === true ? "queued" : "started";
      if (next?.kind !== "turn" || next.turn !== reply.turn || next.phase !== phase) return `no turn is ${phase}`;
      return has(
        (entry) => entry.kind === "message" && entry.turn === reply.turn && entry.content["text"] === args["prompt"],
        "its text",
      );
    }
    case "agent.session.cancel":
      return reply.turns?.every((turn) => entries.some(ended(turn))) ? undefined : "an end of what it cancelled";
    case "agent.session.close":
      return has((entry) => entry.kind === "state" && endedStates.has(entry.state), "an end");
    case "agent.permission.answer":
      return has(
        (entry) =>
          entry.kind === "permission" &&
          entry.phase === "resolved" &&
          entry.request === reply.request &&
          entry.outcome === reply.outcome &&
          entry.by === command.by,
        "its resolution",
      );
    case "agent.session.set_config":
      return has((entry) => entry.kind === "options", "the options that it set");
  }
}

const endedStates: ReadonlySet<string> = new Set(["closed", "lost", "failed"]);
