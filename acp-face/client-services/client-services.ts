// SPDX-License-Identifier: MIT OR Apache-2.0
// The editor's files and terminals as verbs on the Bus. agentd calls them for the agent of a session that the face has
// attached to, after its own rules about paths; nobody else is served.
import * as z from "zod";
import { service as agentd } from "../../agentd/vocabulary/entries.ts";
import {
  type Answer,
  type BusClient,
  type Citizen,
  type Clock,
  done,
  type Request,
  serveCitizen,
  refused,
  type Verb,
} from "../../bus-client/index.ts";
import { numberOf } from "../../json/raw-json.ts";
import type { Client } from "../agent-side/client.ts";
import { EditorCalls, Refusal } from "./editor-calls.ts";
import { EditorTerminals, malformed } from "./editor-terminals.ts";

export interface ClientServicesOptions {
  readonly client: Pick<Client, "call">;
  /** Whether the face is attached to the session. */
  readonly holds: (session: string) => boolean;
  readonly clock: Clock;
}

export interface CitizenOfClient {
  /** Has a name, and is not connected. */
  readonly bus: BusClient;
  readonly version: string;
  readonly onFault?: (error: unknown, verb: string) => void;
}

const session = z.string();
const fileArguments = z.object({ session, path: z.string() });
const writeArguments = fileArguments.extend({ content: z.string() });
const createArguments = z.object({
  session,
  terminal: z.string().max(1024).optional(),
  command: z.string(),
  args: z.array(z.string()).default([]),
  cwd: z.string().optional(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  output_byte_limit: z.preprocess(numberOf, z.int().min(0).optional()),
});
const terminalArguments = z.object({ session, terminal: z.string() });

interface ClientVerb<Args extends { readonly session: string }> extends Pick<Verb, "name" | "description" | "pool"> {
  readonly args: z.ZodObject & z.ZodType<Args>;
  readonly readOnly?: true;
  /** Throws a Refusal. */
  readonly run: (args: Args) => Promise<object>;
}

const waits = "waits";
/** Waits for the ends of commands, at most one for each terminal of a few sessions. */
const waitsMax = 256;

export class ClientServices {
  readonly #options: ClientServicesOptions;
  readonly #calls: EditorCalls;
  readonly #terminals: EditorTerminals;

  constructor(options: ClientServicesOptions) {
    const { client, holds, clock } = options;
    this.#options = options;
    this.#calls = new EditorCalls({ client, clock });
    this.#terminals = new EditorTerminals({ calls: this.#calls, clock, holds });
  }

  /** Serves on a client that is to be connected afterwards. The editor alone ends the program. */
  serveOn({ bus, version, onFault }: CitizenOfClient): Citizen {
    return serveCitizen({
      client: bus,
      service: bus.name ?? "",
      version,
      description: "An editor's files and terminals, for the sessions that it works with",
      verbs: [...this.#fileVerbs(), ...this.#terminalVerbs()],
      pools: { [waits]: { pendingMax: waitsMax } },
      mayQuit: () => refused("UNSUPPORTED", "the editor that started this program ends it"),
      ...(onFault === undefined ? {} : { onFault }),
    });
  }

  /** Returns the editor's id of a terminal by agentd's; undefined if the editor does not run it. */
  editorTerminal(id: string, terminal: string): string | undefined {
    return this.#terminals.editorId(id, terminal);
  }

  /** Releases the terminals of a session that the face lets go of. Never rejects. */
  async release(id: string): Promise<void> {
    await this.#terminals.releaseAll(id);
  }

  #fileVerbs(): Verb[] {
    const calls = this.#calls;
    return [
      this.#verb({
        name: "client.fs.read",
        description: "Read a file through the editor, which may have unsaved changes; for agentd",
        args: fileArguments,
        readOnly: true,
        // Editors count lines differently, so the whole file is asked for.
        run: async ({ session: sessionId, path }) => {
          const { content } = await calls.call("fs/read_text_file", { sessionId, path });
          if (typeof content !== "string") throw malformed("fs/read_text_file");
          return { content };
        },
      }),
      this.#verb({
        name: "client.fs.write",
        description: "Write a file through the editor; for agentd",
        args: writeArguments,
        run: async ({ session: sessionId, path, content }) => {
          await calls.call("fs/write_text_file", { sessionId, path, content });
          return {};
        },
      }),
    ];
  }

  #terminalVerbs(): Verb[] {
    const terminals = this.#terminals;
    return [
      this.#verb({
        name: "client.terminal.create",
        description: "Run a command in a terminal of the editor; for agentd",
        args: createArguments,
        run: async ({ session: id, ...request }) => ({ terminal: await terminals.create(id, request) }),
      }),
      this.#verb({
        name: "client.terminal.output",
        description: "Read a terminal's output; for agentd",
        args: terminalArguments,
        readOnly: true,
        run: ({ session: id, terminal }) => terminals.output(id, terminal),
      }),
      this.#verb({
        name: "client.terminal.wait",
        description: "Wait for the end of a terminal's command; `pending` if it takes long; for agentd",
        args: terminalArguments,
        readOnly: true,
        pool: waits,
        run: async ({ session: id, terminal }) => (await terminals.wait(id, terminal)) ?? { pending: true },
      }),
      this.#verb({
        name: "client.terminal.kill",
        description: "End a terminal's command; for agentd",
        args: terminalArguments,
        run: ({ session: id, terminal }) => terminals.kill(id, terminal),
      }),
      this.#verb({
        name: "client.terminal.release",
        description: "Give a terminal back; for agentd",
        args: terminalArguments,
        run: ({ session: id, terminal }) => terminals.release(id, terminal),
      }),
    ];
  }

  #verb<Args extends { readonly session: string }>({ args, readOnly, run, ...verb }: ClientVerb<Args>): Verb {
    const isOptional = (schema: z.core.$ZodType): boolean => z.safeParse(schema, undefined).success;
    return {
      ...verb,
      args: Object.entries(args.shape).map(([name, schema]) => (isOptional(schema) ? `${name}?` : name)),
      readOnly: readOnly === true,
      handler: (request) => this.#serve(args, run, request),
    };
  }

  async #serve<Args extends { readonly session: string }>(
    schema: z.ZodType<Args>,
    run: (args: Args) => Promise<object>,
    { from, args }: Request,
  ): Promise<Answer> {
    // The broker stamps the name of the sender's registration, and a name is registered once.
    if (from !== agentd) return refused("FORBIDDEN", `only the service ${agentd} of this machine may ask`);
    const parsed = schema.safeParse(args);
    if (!parsed.success) return refused("ARGUMENT", wrongArgument(parsed.error));
    const { session: id } = parsed.data;
    if (!this.#options.holds(id)) return refused("SESSION_UNKNOWN", `the editor does not work with the session ${id}`);
    try {
      return done(await run(parsed.data));
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }
}

/** Names the argument and never quotes its value. */
function wrongArgument({ issues: [first] }: z.ZodError): string {
  return `${first?.path.map(String).join(".") || "the arguments"}: ${first?.message ?? "invalid"}`;
}
