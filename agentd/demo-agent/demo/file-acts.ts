// SPDX-License-Identifier: MIT OR Apache-2.0
import { textContent, type ToolCallStart, type Turn } from "./turn.ts";

/** Names of a directory that are listed. */
const entriesMax = 50;

export function writeFile(asking: "as the mode says" | "ask first"): (turn: Turn, rest: string) => Promise<void> {
  return async (turn, rest) => {
    const [, name = "", given = ""] = /^(\S*)\s*([^]*)$/.exec(rest) ?? [];
    if (name === "") return await turn.say("Which file? Try: write hello.txt\n");
    const path = await turn.folder.locate(name);
    const text = given === "" ? "Hello from the demo agent.\n" : `${given}\n`;
    await turn.think(`A small file, ${name}. I look at what is there first.`);
    await writeAfterAsking(turn, { name, path, text }, asking === "ask first" || turn.options.mode === "ask");
  };
}

interface Write {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

async function writeAfterAsking(turn: Turn, { name, path, text }: Write, mustAsk: boolean): Promise<void> {
  const oldText = await turn.folder.read(path);
  const call: ToolCallStart = {
    title: `Write ${name}`,
    kind: "edit",
    path,
    rawInput: { path, text },
    content: [{ type: "diff", path, oldText, newText: text }],
  };
  const toolCallId = turn.startToolCall(call);
  if (mustAsk && !(await turn.askPermission(toolCallId, call))) {
    turn.endToolCall(toolCallId, "failed");
    return await turn.say(`Then I leave ${name} alone.\n`);
  }
  turn.runToolCall(toolCallId);
  await turn.pause();
  await turn.write(path, text);
  turn.endToolCall(toolCallId, "completed");
  await turn.say(`I wrote ${name}: ${Buffer.byteLength(text)} bytes${oldText === null ? ", a new file" : ""}.\n`);
}

export function readFile(asking: "of its own accord" | "ask first"): (turn: Turn, rest: string) => Promise<void> {
  return async (turn, rest) => {
    if (rest === "") return await turn.say("Which file? Try: read hello.txt\n");
    const path = await turn.folder.locate(rest);
    const call: ToolCallStart = { title: `Read ${rest}`, kind: "read", path, rawInput: { path } };
    const toolCallId = turn.startToolCall(call);
    if (asking === "ask first" && !(await turn.askPermission(toolCallId, call))) {
      turn.endToolCall(toolCallId, "failed");
      return await turn.say(`Then I do not look into ${rest}.\n`);
    }
    turn.runToolCall(toolCallId);
    await turn.pause();
    const text = await turn.folder.read(path);
    if (text === null) {
      turn.endToolCall(toolCallId, "failed", [textContent("no such file")]);
      return await turn.say(`There is no ${rest} here.\n`);
    }
    turn.endToolCall(toolCallId, "completed", [textContent(text)]);
    await turn.say(`${rest} says:\n\n${text}\n`);
  };
}

export async function listFolder(turn: Turn): Promise<void> {
  const { names, total } = await lookAround(turn);
  const more = total > names.length ? `\nand ${total - names.length} more` : "";
  await turn.say(total === 0 ? "There is nothing here yet.\n" : `${total} here:\n\n${names.join("\n")}${more}\n`);
}

/** A read-only tool call that lists the working directory. */
export async function lookAround(turn: Turn): Promise<{ readonly names: string[]; readonly total: number }> {
  const path = turn.folder.root;
  const toolCallId = turn.startToolCall({
    title: "List the working directory",
    kind: "search",
    path,
    rawInput: { path },
  });
  turn.runToolCall(toolCallId);
  await turn.pause();
  const { entries, total } = await turn.folder.list(entriesMax);
  const names = entries.map(({ name, isDirectory }) => (isDirectory ? `${name}/` : name));
  turn.endToolCall(toolCallId, "completed", [textContent(names.join("\n"))]);
  return { names, total };
}
