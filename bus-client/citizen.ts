// SPDX-License-Identifier: MIT OR Apache-2.0

import { done, refused, type Answer } from "./answer.ts";
import { BusClient, type BusClientOptions } from "./bus-client.ts";
import type { IncomingCommand } from "./command.ts";
import { PendingCommands } from "./pending-commands.ts";
import { answerProps, type Props } from "./props.ts";
import { argumentsOf, requestOf, sendAnswer, type Request } from "./request.ts";

/** A handler returns its answer, or nothing if it will call `request.reply` later. */
export type HandlerResult = Answer | undefined | void;

export interface Verb {
  /** `<service>.<verb>`. */
  readonly name: string;
  /** Argument names for HELP. A trailing `?` marks an optional one. */
  readonly args: readonly string[];
  readonly description: string;
  readonly readOnly: boolean;
  /** Commands of a pool have a limit of their own, so that long waits do not block others. `stop` ends them at once. */
  readonly pool?: string;
  handler(request: Request): HandlerResult | Promise<HandlerResult>;
}

export interface CitizenOptions {
  /** A client that has the service's name and is not started, or the options of a new one. */
  readonly client: BusClient | Omit<BusClientOptions, "name" | "onCommand">;
  /** The name to register, and the prefix of the verbs. */
  readonly service: string;
  readonly version: string;
  readonly description: string;
  /** The program's name in "<app> is closing". Default: the service. */
  readonly app?: string;
  readonly verbs: readonly Verb[];
  /** The number of commands of each pool that may be unanswered. */
  readonly pools?: Readonly<Record<string, { readonly pendingMax: number }>>;
  /** The number of commands outside pools that may be unanswered; further ones get BUSY. Default 32. */
  readonly pendingMax?: number;
  readonly props?: Props;
  /** Called after QUIT was answered. Default: `stop`. */
  readonly onQuit?: () => void | Promise<void>;
  readonly quitDescription?: string;
  /** Returns true if the sender may send QUIT, or the refusal. Default: anybody may. */
  readonly mayQuit?: (request: Request) => true | Answer;
  /** Called when a handler throws. The caller is told no details, so log them here. */
  readonly onFault?: (error: unknown, verb: string) => void;
  /** How long `stop` lets commands outside of pools finish. Default 5 s. */
  readonly drainTimeoutMs?: number;
}

const pendingCommandsMax = 32;
export const drainTimeoutMs = 5_000;

/** Creates a service on the Bus with HELP, INFO, QUIT, `<service>.props.…` and its own verbs. It must be started. */
export function serveCitizen(options: CitizenOptions): Citizen {
  return new Citizen(options);
}

export class Citizen {
  readonly client: BusClient;
  readonly #options: CitizenOptions;
  readonly #verbs: ReadonlyMap<string, Verb>;
  readonly #help: string;
  readonly #pending: PendingCommands;
  #stopped: Promise<void> | undefined;

  constructor(options: CitizenOptions) {
    this.#options = options;
    this.#verbs = new Map(options.verbs.map((verb) => [verb.name, verb]));
    this.#help = helpOf(options);
    this.#pending = new PendingCommands(options.pendingMax ?? pendingCommandsMax, options.pools ?? {});
    const { client, service } = options;
    this.client = client instanceof BusClient ? client : new BusClient({ ...client, name: service });
    this.client.onCommand((command) => this.#receive(command));
  }

  /** Connects in the background and retries forever. */
  start(): void {
    this.client.start();
  }

  /** Connects, with at most five attempts. */
  connect(): Promise<void> {
    return this.client.connect();
  }

  /** Publishes a change of a property on `<service>.props.changed`. `old` and `now` must not be secret. */
  propsChanged(path: string, old: unknown, now: unknown, cause: string): void {
    const ts = new Date(this.client.clock.now()).toISOString();
    const body = JSON.stringify({ path, old, new: now, ts, cause });
    this.client.publish(`${this.#options.service}.props.changed`, body, { command: "props.changed" });
  }

  /** Deregisters, waits up to `drainTimeoutMs` for running commands, answers the rest BUSY, and disconnects. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  /** Answers the built-in verbs synchronously, whatever the limits on pending commands. */
  #receive(command: IncomingCommand): void {
    const { service, version, description, props } = this.#options;
    switch (command.verb) {
      case "":
        return answer(command, refused("ARGUMENT", "command verb is empty"));
      case "HELP":
        return answer(command, { rc: 0, body: this.#help });
      case "INFO":
        return answer(command, done({ name: service, version, description }));
      case "QUIT":
        return this.#quit(command);
    }
    const verb = this.#verbs.get(command.verb);
    if (verb !== undefined) return this.#run(verb, command);
    const prefix = `${service}.props.`;
    if (command.verb.startsWith(prefix)) {
      return answer(command, answerProps(props ?? noProps, command.verb.slice(prefix.length), command));
    }
    answer(command, unknownCommand(command.verb, [...this.#verbs.keys()].sort()));
  }

  #run(verb: Verb, command: IncomingCommand): void {
    if (this.#stopped !== undefined) return answer(command, this.#closing());
    const parsed = argumentsOf(command.body);
    if (parsed.kind === "malformed") return answer(command, parsed.refusal);
    const ticket = this.#pending.admit(verb.pool);
    if (ticket === undefined) return answer(command, refused("BUSY", "too many pending commands"));
    const request = requestOf(command, parsed.args, ticket.release);
    ticket.onEnd(() => request.reply(this.#closing()));
    void this.#handle(verb, request);
  }

  async #handle(verb: Verb, request: Request): Promise<void> {
    try {
      const handled = await verb.handler(request);
      if (handled) request.reply(handled);
      // Without an `id` no reply will come, so the command ends with its handler.
      else if (!request.expectsReply) request.reply(nothing);
    } catch (error) {
      request.reply(handlerFault);
      this.#options.onFault?.(error, verb.name);
    }
  }

  #quit(command: IncomingCommand): void {
    const request = requestOf(command, {}, () => {});
    const allowed = this.#options.mayQuit?.(request) ?? true;
    if (allowed !== true) {
      request.reply(allowed);
      return;
    }
    request.reply(nothing);
    const quit = this.#options.onQuit ?? ((): Promise<void> => this.stop());
    Promise.resolve()
      .then(quit)
      .catch((error: unknown) => this.#options.onFault?.(error, "QUIT"));
  }

  #closing(): Answer {
    return refused("BUSY", `${this.#options.app ?? this.#options.service} is closing`);
  }

  #shutDown(): Promise<void> {
    const { drainTimeoutMs: timeoutMs = drainTimeoutMs } = this.#options;
    this.#pending.endPools();
    return this.client.stop(async () => {
      await this.#pending.drained(timeoutMs, this.client.clock);
      this.#pending.endAll();
    });
  }
}

const nothing: Answer = { rc: 0, body: "{}" };
const noProps: Props = { read: () => ({}) };
const handlerFault: Answer = {
  rc: 15,
  body: JSON.stringify({ error: "internal handler error", error_code: "HANDLER_FAULT" }),
};

function answer(command: IncomingCommand, given: Answer): void {
  sendAnswer(command, given);
}

function unknownCommand(verb: string, available: string[]): Answer {
  const text = `unknown command '${verb}' (this citizen handles: ${available.join(", ")}; HELP lists them)`;
  const body = { error_code: "UNKNOWN_COMMAND", error: text, message: text, command: verb, available };
  return { rc: 10, body: JSON.stringify(body) };
}

function helpOf({ service, verbs, quitDescription = "Leave the Bus and end" }: CitizenOptions): string {
  const reserved = [
    { name: "HELP", args: [], description: "List verbs", read_only: true },
    { name: "INFO", args: [], description: "Name, version and description", read_only: true },
    { name: "QUIT", args: [], description: quitDescription, read_only: false },
    { name: `${service}.props.get`, args: ["path?"], description: "Read a property, or all", read_only: true },
    { name: `${service}.props.list`, args: [], description: "List the properties", read_only: true },
    { name: `${service}.props.describe`, args: ["path"], description: "Describe a property", read_only: true },
  ];
  const own = verbs
    .map(({ name, args, description, readOnly }) => ({ name, args, description, read_only: readOnly }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return JSON.stringify([...reserved, ...own]);
}
