// SPDX-License-Identifier: MIT OR Apache-2.0
// What an editor starts: the editor's face (acp-face) on this process's stdin and stdout.
import { appendFileSync, realpathSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { FaceStart } from "../../acp-face/face-start.ts";
import { serveOnStdio } from "../../acp-face/agent-side/stdio.ts";
import { findOnPath } from "../../files/find-on-path.ts";
import { absolutePath } from "../process/absolute-path.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { done } from "../process/exit-codes.ts";
import { ownError, usageError } from "../process/mix-error.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { type ConfigurableEditor, configurableEditors, desktopPath, editorConfig, faceCommand } from "./acp-config.ts";

export const spec: VerbSpec = {
  usage: "agent acp [login]",
  about: `Speaks ACP on stdin and stdout, for an editor: its chats are sessions of agentd, which everybody else can watch, answer and continue. When the editor is gone its turn is cancelled, and the session stays. \`login\` logs in to the agent, in a terminal. --print-config knows ${configurableEditors.join(", ")}.`,
  flags: {
    agent: { kind: "text", value: "AGENT", about: "the agent of new sessions (default: an installed one)" },
    "keep-running": { kind: "switch", about: "do not cancel the running turn when the editor is gone", isMain: true },
    log: { kind: "text", value: "FILE", about: "write diagnostics to it (default: AGENTD_FACE_LOG)" },
    "print-config": {
      kind: "text",
      value: "EDITOR",
      values: configurableEditors,
      about: "print what an editor's settings need to start this",
      isMain: true,
    },
  },
  examples: ["mix agent acp --agent claude", "mix agent acp --print-config zed"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context } = invocation;
  const [word] = args.positionals;
  if (word === "login") return (await import("./large.ts")).login.login(invocation, args.text("agent"));
  if (word !== undefined) throw usageError(`agent acp takes no word ${word}, only login`);
  const editor = args.choice("print-config", configurableEditors);
  if (editor !== undefined) return await printConfig(invocation, editor);
  if (invocation.context.stdin.isTTY === true)
    throw usageError(
      "agent acp is started by an editor, not typed: --print-config EDITOR prints its settings; in a terminal there is mix agent start",
    );
  const print = printerTo(logFile(invocation));
  const served = serveOnStdio(
    (client) =>
      new FaceStart(client, {
        connect: () => invocation.connect("agentd", "acp"),
        clock: context,
        newCommandId: () => `acp-${randomUUID()}`,
        agent: args.text("agent"),
        keepsRunning: args.switch("keep-running"),
        version: context.version,
        diagnose: (text) => print(`${text}\n`),
      }),
    { print, endedBy: ["SIGTERM", "SIGHUP", "SIGINT"] },
  );
  return (await served.closed) === undefined ? done : { kind: "ended", state: "failed" };
}

async function printConfig({ args, context, output }: Invocation, editor: ConfigurableEditor): Promise<Outcome> {
  const agent = args.text("agent");
  const log = args.text("log");
  const flags = [
    ...(agent === undefined ? [] : ["--agent", agent]),
    ...(args.switch("keep-running") ? ["--keep-running"] : []),
    ...(log === undefined ? [] : ["--log", absolutePath(context.cwd, log)]),
  ];
  const mixProgram = join(dirname(context.agentdProgram), "mix.cjs");
  const command = faceCommand({ mixProgram, nodeProgram: context.nodeProgram }, flags, (program) => {
    const file = findOnPath(program, desktopPath);
    return file === undefined ? undefined : realpathSync(file);
  });
  await output.lines(editorConfig(editor, command));
  return done;
}

function logFile({ args, context }: Invocation): string | undefined {
  const given = args.text("log") ?? (context.env["AGENTD_FACE_LOG"] || undefined);
  return given === undefined ? undefined : absolutePath(context.cwd, given);
}

/** Some editors show each line of stderr in the chat, so that without a file nothing is printed. */
function printerTo(file: string | undefined): (text: string) => void {
  if (file === undefined) return () => {};
  const append = (text: string): void => appendFileSync(file, text, { mode: 0o600 });
  try {
    append("");
  } catch (error) {
    throw ownError("OUTPUT_UNWRITABLE", `the log cannot be written: ${error instanceof Error ? error.message : ""}`);
  }
  return (text) => {
    try {
      append(text);
    } catch {
      // A full disk must not end the editor's chats.
    }
  };
}
