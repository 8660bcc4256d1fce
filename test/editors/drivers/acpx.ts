// SPDX-License-Identifier: MIT OR Apache-2.0
// acpx, a command line: a process for each command, and each brings the session of the directory back. It answers
// permissions by flags, and prints ACP's messages with `--format json`. The agent is kept in the
// background for a next prompt, here for a second, and then ended by the end of its stdin.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { AnswerKind } from "../driver-protocol.ts";
import { agentWords, serveCommands, turnTeller } from "./channel.ts";

const acpx = `${process.env["EDITOR_MODULES"]}/node_modules/acpx/dist/cli.js`;
const agent = agentWords.map((word) => `'${word}'`).join(" ");
const always = ["--agent", agent, "--ttl", "1", "--format", "json"];
const flagOf: Readonly<Record<AnswerKind, string>> = { allow_once: "--approve-all", reject_once: "--deny-all" };
/** The turn went well, but for a permission that was denied. */
const deniedExit = 5;
const running = new Set<ChildProcess>();

/** What is read of a line of its output: a message of ACP, or an answer of its own. */
interface Line {
  readonly acpxSessionId?: string;
  readonly sessions?: readonly { readonly sessionId: string }[];
  readonly method?: string;
  readonly params?: {
    readonly update?: { readonly sessionUpdate: string; readonly content?: { readonly text?: string } };
    readonly options?: readonly { readonly kind: string }[];
  };
  readonly result?: { readonly stopReason?: string };
  readonly error?: { readonly message?: string };
}

/** Runs acpx. Rejects with its words when it fails. */
async function run(flags: readonly string[], words: readonly string[], onLine: (line: Line) => void): Promise<void> {
  const child = spawn(process.execPath, [acpx, ...always, ...flags, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("{")) onLine(JSON.parse(line));
  });
  const [code] = await once(child, "close");
  running.delete(child);
  if (code !== 0 && code !== deniedExit) throw new Error(`acpx ${words.join(" ")} ended with ${code}: ${errors}`);
}

serveCommands((tell) => {
  const turn = turnTeller(tell);
  const tellOpened = ({ acpxSessionId: session }: Line): void => {
    if (session !== undefined) tell({ event: "opened", session });
  };
  const set = async (...words: readonly string[]): Promise<void> => {
    await run([], words, () => {});
    tell({ event: "set" });
  };
  return {
    open: () => run([], ["sessions", "new"], tellOpened),
    load: () => run([], ["sessions", "ensure"], tellOpened),
    prompt: ({ text, answer = "allow_once" }) =>
      turn(async () => {
        let end = "none";
        await run([flagOf[answer]], ["prompt", text], ({ method, params, result, error }) => {
          const { update, options } = params ?? {};
          if (method === "session/request_permission")
            tell({ event: "asked", kinds: (options ?? []).map(({ kind }) => kind) });
          if (update?.sessionUpdate === "agent_message_chunk")
            tell({ event: "said", text: update.content?.text ?? "" });
          end = result?.stopReason ?? error?.message ?? end;
        });
        return end;
      }),
    cancel: () => run([], ["cancel"], () => {}),
    list: () =>
      run([], ["sessions", "list"], ({ sessions }) => {
        if (sessions) tell({ event: "listed", sessions: sessions.map(({ sessionId }) => sessionId) });
      }),
    mode: ({ value }) => set("set-mode", value),
    option: ({ option, value }) => set("set", option, value),
    async end() {
      if (running.size > 0) await run([], ["cancel"], () => {});
    },
  };
});
