// SPDX-License-Identifier: MIT OR Apache-2.0
// What callers ask for: new commands, the same ones again by somebody else, and the same ids for something else.
import { instanceSession, type Verb } from "../../agentd/vocabulary/index.ts";
import type { SessionCommand } from "../../agentd/session/input.ts";
import type { StartInput } from "../../agentd/session/posted.ts";
import type { Callers, Given } from "./callers.ts";
import type { Life } from "./life.ts";
import type { Random } from "./random.ts";

type SessionVerb = SessionCommand["verb"] | "agent.session.resume";

const sessionVerbs: readonly SessionVerb[] = [
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
];

export class Commands {
  readonly #random: Random;
  readonly #callers: Callers;
  #count = 0;

  constructor(random: Random, callers: Callers) {
    this.#random = random;
    this.#callers = callers;
  }

  /** One command, by one caller or by several at once. */
  give(life: Life): void {
    const random = this.#random;
    // Without an id, the same again is another command.
    const earlier = this.#callers.given.filter(({ commandId }) => commandId !== undefined);
    const given =
      earlier.length > 0 && random.chance(25)
        ? random.pick(earlier)
        : earlier.length > 0 && random.chance(5)
          ? this.#another(random.pick(earlier))
          : this.#fresh(life);
    for (let times = given.commandId !== undefined && random.chance(20) ? 2 : 1; times > 0; times -= 1) this.#post(life, given);
  }

  #fresh(life: Life): Given {
    const random = this.#random;
    this.#count += 1;
    const id = random.chance(75) ? { command_id: `c${this.#count}` } : {};
    const list = life.log.sessions.list({ limit: 100 });
    const sessions = list.refused ? [] : list.sessions;
    if (sessions.length === 0 || random.chance(15)) {
      const prompt = random.chance(50) ? { prompt: `prompt ${this.#count}` } : {};
      const rest = { agent: "fake", cwd: "/work", additional_dirs: [], config: {}, mcp_servers: [], env: [] };
      return given("agent.session.start", instanceSession, { ...rest, ...prompt, ...id });
    }
    const { session } = random.pick(sessions);
    const verb = random.pick(sessionVerbs);
    return given(verb, session, { session, ...this.#argumentsOf(verb, session, life), ...id });
  }

  #argumentsOf(verb: SessionVerb, session: string, life: Life): Record<string, unknown> {
    const random = this.#random;
    switch (verb) {
      case "agent.session.prompt":
        return { prompt: `prompt ${this.#count}`, when_busy: random.pick(["refuse", "queue"]) };
      case "agent.session.cancel":
        return random.chance(50) ? {} : { turn: 1 + random.whole(4) };
      case "agent.session.set_config":
        return { option: "mode", value: random.pick(["a", "b", "c"]) };
      case "agent.permission.answer": {
        const open = life.core.sessions.get(session)?.requests.map(({ request }) => request) ?? [];
        const request = random.pick([...open, ...open, `${session}-${1 + random.whole(4)}`]);
        return random.chance(60) ? { request, option: "allow" } : { request, cancelled: true };
      }
      case "agent.session.resume":
        return { fresh: false };
      case "agent.session.close":
        return {};
      default:
        throw new Error(`no arguments of ${verb} are known here`);
    }
  }

  /** An id that was given before, and another command. */
  #another({ args, scope, commandId }: Given): Given {
    const id = commandId === undefined ? {} : { command_id: commandId };
    if (scope === instanceSession) return given("agent.session.start", scope, { ...args, cwd: "/elsewhere" });
    return given("agent.session.cancel", scope, { session: scope, turn: 999, ...id });
  }

  /** As the verbs' handlers do it. */
  #post(life: Life, asked: Given): void {
    const { mailbox } = life.core;
    const caller = this.#callers.ask(asked, life.log);
    const { verb, args, scope } = asked;
    const { prompt: _, command_id: _id, ...shown } = args;
    const command = { verb, args, by: "tester", origin: "local", caller, shown };
    if (verb !== "agent.session.start" && verb !== "agent.session.resume") {
      mailbox.post(scope, { type: "command", command: command as unknown as SessionCommand });
      return;
    }
    const recalled = mailbox.recall(scope, verb, args, caller);
    if (recalled === "posted") return;
    if (recalled) return this.#callers.replied(recalled, life.log);
    const maxSessions = 6;
    if (verb === "agent.session.resume") {
      const chosen = Object.entries(life.log.sessions.row(scope)?.latest.chosen ?? {});
      mailbox.post(scope, { type: "resume", command: command as never, chosen, maxSessions });
      return;
    }
    const id = this.#random.id();
    const createdAt = new Date(life.clock.now()).toISOString();
    const session = { id, agent: "fake", cwd: "/work", additionalDirs: [], env: [], createdAt };
    mailbox.post(id, { type: "start", command: command as unknown as StartInput["command"], session, maxSessions });
  }
}

function given(verb: Verb, scope: string, args: Record<string, unknown>): Given {
  const { command_id: commandId } = args as { command_id?: string };
  return { verb, args, scope, ...(commandId === undefined ? {} : { commandId }) };
}
