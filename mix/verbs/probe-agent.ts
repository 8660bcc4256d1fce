// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent agents probe`: what an agent really offers, shown, as JSON, or written into a document.
import type { ProbeReply } from "../../agentd/vocabulary/probe.ts";
import { parseJson } from "../../json/raw-json.ts";
import { changeText } from "../../files/change-text.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { askYesOrNo } from "../attach/ask-yes-or-no.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import { absolutePath } from "../process/absolute-path.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { usageError } from "../process/mix-error.ts";
import type { FlagTable } from "../input/arguments.ts";
import { commandIdFlag, type Invocation } from "../input/verb.ts";
import { probeLines, probeSection, withProbe } from "../view/probe.ts";

export const probeFlags: FlagTable = {
  full: { kind: "switch", about: "with probe: real turns too, which cost calls of a model" },
  yes: { kind: "switch", about: "with probe --full: do not ask" },
  write: { kind: "text", value: "FILE", about: "with probe: put the result into this document" },
  env: { kind: "texts", value: "NAME", about: "with probe: variable to pass on" },
  ...commandIdFlag,
};

/** A full probe of a slow agent starts it four times. */
const probeTimeoutMs = 30 * 60 * 1000;

export async function probeAgent(invocation: Invocation, agent: string): Promise<Outcome> {
  const { args, context, output } = invocation;
  const isFull = args.switch("full");
  if (isFull && !args.switch("yes") && !(await hasConsent(invocation, agent))) return { kind: "interrupted" };
  const written = args.text("write");
  const file = written === undefined ? undefined : absolutePath(context.cwd, written);
  // So that no probe is wasted on a file that cannot be read. It is read again afterwards, as it may change meanwhile.
  if (file !== undefined) readDocument(file);
  const bus = await invocation.connect("agentd");
  const request = {
    agent,
    depth: isFull ? ("full" as const) : ("initialize" as const),
    env: [...args.texts("env")],
    command_id: args.text("id"),
  };
  const { body } = await bus.call("agent", "agent.probe", request, { timeoutMs: probeTimeoutMs });
  const reply = parseJson(body) as ProbeReply;
  if (output.mode === "json") await output.document("mix.probe.v1", reply);
  else if (output.mode === "people") for (const line of probeLines(reply)) await output.line(line);
  if (file !== undefined) {
    writeDocument(file, agent, reply);
    output.word(`written into ${file}`);
  }
  return reply.cells.some(({ result }) => result === "failed") ? { kind: "refused", code: "FAULT" } : done;
}

async function hasConsent(invocation: Invocation, agent: string): Promise<boolean> {
  const cost = "a full probe sends three prompts to the model, which its provider charges for";
  if (!isInteractive(invocation)) throw usageError(`${cost}; give --yes to run it without being asked`);
  return await askYesOrNo(invocation.context, `${cost}; probe ${agent}?`);
}

const documentBytesMax = 8 * 1024 * 1024;

function readDocument(file: string): string {
  try {
    const bytes = readRegularFile(file, documentBytesMax);
    const text = bytes.toString("utf8");
    if (Buffer.from(text).equals(bytes)) return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageError(`--write: ${file} cannot be read (${code ?? message})`);
  }
  throw usageError(`--write: ${file} is not UTF-8 text`);
}

function writeDocument(file: string, agent: string, reply: ProbeReply): void {
  const before = readDocument(file);
  try {
    changeText(file, before, withProbe(before, agent, probeSection(reply)));
  } catch (error) {
    throw usageError(`--write: ${file} cannot be written: ${(error as Error).message}`);
  }
}
