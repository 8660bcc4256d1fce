// SPDX-License-Identifier: MIT OR Apache-2.0
// An editor on the Bus: a citizen that can hold a lease of a session, and does with `client.*` what the test says.
import {
  type Answer,
  type Citizen,
  done,
  type HandlerResult,
  type Request,
  serveCitizen,
} from "../../bus-client/index.ts";
import type { SessionSnapshot, VerbInput } from "../../agentd/vocabulary/index.ts";
import { within } from "./deadline.ts";

export type EditorVerb =
  | `client.fs.${"read" | "write"}`
  | `client.terminal.${"create" | "output" | "wait" | "kill" | "release"}`;
export type Serves = Readonly<
  Partial<Record<EditorVerb, (request: Request) => HandlerResult | Promise<HandlerResult>>>
>;

let made = 0;
const newName = (): string => `acp-editor${(made += 1)}`;

export class EditorHere implements AsyncDisposable {
  readonly name: string;
  /** What it was asked, in order, without the session. */
  readonly asked: (readonly [EditorVerb, Readonly<Record<string, unknown>>])[] = [];
  readonly #citizen: Citizen;
  readonly #watchers = new Set<() => void>();

  constructor(url: string, serves: Serves, name: string) {
    this.name = name;
    const verbs = (Object.keys(serves) as EditorVerb[]).map((verb) => ({
      name: verb,
      args: [],
      description: verb,
      readOnly: false,
      handler: (request: Request) => {
        const { session: _, ...args } = request.args;
        this.asked.push([verb, args]);
        for (const watch of this.#watchers) watch();
        return serves[verb]?.(request);
      },
    }));
    this.#citizen = serveCitizen({
      client: { url },
      service: this.name,
      version: "1",
      description: "an editor",
      verbs,
    });
  }

  static async connect(url: string, serves: Serves, name = newName()): Promise<EditorHere> {
    const editor = new EditorHere(url, serves, name);
    await editor.#citizen.connect();
    return editor;
  }

  async attach(
    session: string,
    more: Partial<VerbInput<"agent.session.attach">> = {},
  ): Promise<{ readonly session: string; readonly snapshot: SessionSnapshot }> {
    const args = { session, citizen: this.name, offers: ["fs.read", "fs.write", "terminal"], ...more };
    return (await this.call("agent.session.attach", args)) as never;
  }

  /** Throws the body of a refusal. */
  async call(verb: string, args: object): Promise<Record<string, unknown>> {
    const reply = await this.#citizen.client.call("agent", verb, args);
    const body = JSON.parse(reply.body) as Record<string, unknown>;
    if (reply.rc >= 10) throw Object.assign(new Error(reply.body), body);
    return body;
  }

  /** Resolves when it has been asked for the verb that many times. */
  async askedFor(verb: EditorVerb, times = 1): Promise<void> {
    const isThere = (): boolean => this.asked.filter(([asked]) => asked === verb).length >= times;
    let watch = (): void => {};
    const coming = new Promise<void>((resolve) => (watch = () => isThere() && resolve()));
    this.#watchers.add(watch);
    watch();
    await within(30_000, `${this.name} was not asked for ${verb}`, coming);
    this.#watchers.delete(watch);
  }

  /** Leaves the Bus at once, as a killed process does: what it was asked is not answered. */
  async kill(): Promise<void> {
    await this.#citizen.client.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Serves the texts of the map as an editor its buffers: a write changes them, and what it does not have is refused. */
export function buffers(texts: Map<string, string>): Serves {
  return {
    "client.fs.read": ({ args }) => {
      const content = texts.get(String(args["path"]));
      return content === undefined ? notOpen : done({ content });
    },
    "client.fs.write": ({ args }) => {
      texts.set(String(args["path"]), String(args["content"]));
      return done({});
    },
  };
}

const notOpen: Answer = { rc: 10, body: JSON.stringify({ error_code: "NOT_FOUND", message: "no such file" }) };

interface ShownTerminal {
  output: string;
  exit?: { readonly exit_code: number | null; readonly signal: string | null };
}

/** Terminals of an editor in which nothing runs: the test says what they print and how they end. */
export class EditorTerminals {
  readonly #terminals = new Map<string, ShownTerminal>();
  readonly #waits = new Map<string, () => void>();
  #made = 0;

  readonly serves: Serves = {
    "client.terminal.create": () => {
      const terminal = `pane ${(this.#made += 1)}`;
      this.#terminals.set(terminal, { output: "" });
      return done({ terminal });
    },
    "client.terminal.output": ({ args }) => {
      const { output, exit } = this.#of(args);
      return done({ output, truncated: false, ...(exit === undefined ? {} : { exit_status: exit }) });
    },
    "client.terminal.wait": async ({ args }) => {
      const shown = this.#of(args);
      if (shown.exit === undefined) {
        await new Promise<void>((resolve) => this.#waits.set(String(args["terminal"]), resolve));
      }
      return done(shown.exit ?? { pending: true });
    },
    "client.terminal.kill": ({ args }) => {
      this.exit(String(args["terminal"]), null, "SIGTERM");
      return done({});
    },
    "client.terminal.release": ({ args }) => {
      this.exit(String(args["terminal"]), null, "SIGKILL");
      return done({});
    },
  };

  print(terminal: string, output: string): void {
    this.#of({ terminal }).output += output;
  }

  exit(terminal: string, code: number | null, signal: string | null = null): void {
    this.#of({ terminal }).exit ??= { exit_code: code, signal };
    this.#waits.get(terminal)?.();
  }

  #of(args: Readonly<Record<string, unknown>>): ShownTerminal {
    const shown = this.#terminals.get(String(args["terminal"]));
    if (!shown) throw new Error(`no terminal ${String(args["terminal"])}`);
    return shown;
  }
}
