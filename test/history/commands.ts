// SPDX-License-Identifier: MIT OR Apache-2.0
// What callers ask for: new commands, the same ones again by somebody else, and the same ids for something else.
import { instanceSession } from "../../agentd/vocabulary/index.ts";
import type { AskedVerb, Callers, Given } from "./callers.ts";
import type { Random } from "./random.ts";

/** What callers see of the sessions there are. */
export interface Sight {
  readonly sessions: readonly string[];
  /** Requests that are open. */
  readonly asked: (session: string) => readonly string[];
}

const sessionVerbs = [
  "agent.session.prompt",
  "agent.session.prompt",
  "agent.session.prompt",
  "agent.session.cancel",
  "agent.session.set_config",
  "agent.session.close",
  "agent.session.resume",
  "agent.session.resume",
  "agent.permission.answer",
  "agent.permission.answer",
] as const;

export class Commands {
  readonly #random: Random;
  readonly #callers: Callers;
  readonly #start: Readonly<Record<string, unknown>>;
  #count = 0;

  /** `start`: the arguments that every start has. */
  constructor(random: Random, callers: Callers, start: Readonly<Record<string, unknown>>) {
    this.#random = random;
    this.#callers = callers;
    this.#start = { additional_dirs: [], config: {}, mcp_servers: [], env: [], ...start };
  }

  /** One command, by one caller or by several at once. */
  next(sight: Sight): readonly Given[] {
    const random = this.#random;
    // Without an id, the same again is another command.
    const earlier = this.#callers.given.filter(({ commandId }) => commandId !== undefined);
    const again = earlier.length > 0 ? random.whole(100) : 100;
    const next =
      again < 25 ? random.pick(earlier) : again < 29 ? this.#another(random.pick(earlier)) : this.#fresh(sight);
    return next.commandId !== undefined && random.chance(20) ? [next, next] : [next];
  }

  #fresh({ sessions, asked }: Sight): Given {
    const random = this.#random;
    this.#count += 1;
    const id = random.chance(75) ? { command_id: `c${this.#count}` } : {};
    if (sessions.length === 0 || random.chance(15)) {
      const prompt = random.chance(50) ? { prompt: this.#text() } : {};
      return given("agent.session.start", instanceSession, { ...this.#start, ...prompt, ...id });
    }
    const session = random.pick(sessions);
    const verb = random.pick(sessionVerbs);
    return given(verb, session, { session, ...this.#argumentsOf(verb, session, asked), ...id });
  }

  #argumentsOf(verb: (typeof sessionVerbs)[number], session: string, asked: Sight["asked"]): Record<string, unknown> {
    const random = this.#random;
    switch (verb) {
      case "agent.session.prompt":
        return { prompt: this.#text(), when_busy: random.pick(["refuse", "queue", "steer"]) };
      case "agent.session.cancel":
        return random.chance(50) ? {} : { turn: 1 + random.whole(4) };
      case "agent.session.set_config":
        return { option: "mode", value: random.pick(["a", "b", "c"]) };
      case "agent.permission.answer": {
        const open = asked(session);
        const request = random.pick([...open, ...open, `${session}-${1 + random.whole(4)}`]);
        return random.chance(60) ? { request, option: "allow" } : { request, cancelled: true };
      }
      case "agent.session.resume":
        return { fresh: false };
      case "agent.session.close":
        return {};
    }
  }

  /** Unique, and for some agents a word on what to do. */
  #text(): string {
    return `prompt ${this.#count}: ${this.#random.pick(["speak", "hold", "ask"])}`;
  }

  /** An id that was given before, and another command. */
  #another({ args, scope, commandId }: Given): Given {
    const id = commandId === undefined ? {} : { command_id: commandId };
    if (scope === instanceSession) return given("agent.session.start", scope, { ...args, name: "another" });
    return given("agent.session.cancel", scope, { session: scope, turn: 999, ...id });
  }
}

function given(verb: AskedVerb, scope: string, args: Record<string, unknown>): Given {
  const { command_id: commandId } = args as { command_id?: string };
  return { verb, args, scope, ...(commandId === undefined ? {} : { commandId }) };
}
