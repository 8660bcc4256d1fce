// SPDX-License-Identifier: MIT OR Apache-2.0
// acp-factory, as its README uses it. It has no list of sessions, and no options beside the mode.
import { agentWords, importInstalled, serveCommands, turnTeller } from "./channel.ts";

/** What is used of the package. */
interface AcpFactory {
  readonly AgentFactory: {
    register(name: string, agent: object): void;
    spawn(name: string, options: { permissionMode: "auto-approve" | "auto-deny" | "interactive" }): Promise<Agent>;
  };
}
interface Agent {
  createSession(cwd: string): Promise<Session>;
  loadSession(session: string, cwd: string): Promise<Session>;
  close(): Promise<void>;
}
interface Session {
  readonly id: string;
  prompt(text: string): AsyncIterable<Update>;
  respondToPermission(request: string, option: string): void;
  cancel(): Promise<void>;
  setMode(mode: string): Promise<void>;
}
type Update =
  | { sessionUpdate: "agent_message_chunk"; content: { text?: string } }
  | { sessionUpdate: "permission_request"; requestId: string; options: { optionId: string; kind: string }[] };

const [command, ...args] = agentWords;
const { AgentFactory }: AcpFactory = await importInstalled("acp-factory");
AgentFactory.register("face", { command, args, env: {} });
const agent = AgentFactory.spawn("face", { permissionMode: "interactive" });

serveCommands((tell) => {
  let session: Session | undefined;
  let last: Promise<void> = Promise.resolve();
  const current = (): Session => {
    if (session === undefined) throw new Error("no session is open");
    return session;
  };
  const turn = turnTeller(tell);
  const opened = (id: string): void => tell({ event: "opened", session: id });

  return {
    async open() {
      session = await (await agent).createSession(process.cwd());
      opened(session.id);
    },
    async load({ session: id }) {
      session = await (await agent).loadSession(id, process.cwd());
      opened(session.id);
    },
    prompt({ text, answer }) {
      // Two loops over one session's updates would take them from each other.
      const before = last;
      last = turn(async () => {
        await before;
        for await (const update of current().prompt(text)) {
          if (update.sessionUpdate === "agent_message_chunk") tell({ event: "said", text: update.content.text ?? "" });
          if (update.sessionUpdate !== "permission_request") continue;
          tell({ event: "asked", kinds: update.options.map(({ kind }) => kind) });
          const chosen = update.options.find(({ kind }) => kind === answer);
          current().respondToPermission(update.requestId, chosen?.optionId ?? "");
        }
        // It keeps the stop reason to itself.
        return "ended";
      });
      return last;
    },
    cancel: () => current().cancel(),
    async mode({ value }) {
      await current().setMode(value);
      tell({ event: "set" });
    },
    end: async () => await (await agent).close(),
  };
});
