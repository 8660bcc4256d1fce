// SPDX-License-Identifier: MIT OR Apache-2.0
// The acts that a prompt to the demo agent can name. Any other prompt is small talk.
import { listFolder, readFile, writeFile } from "./file-acts.ts";
import { count, fail, hello, markdown, showPlan, slow, smallTalk } from "./talk-acts.ts";
import { FolderError } from "./session-folder.ts";
import { type Turn, textContent } from "./turn.ts";
import { isRecord } from "../../../json/record.ts";

export interface Act {
  readonly usage: string;
  readonly description: string;
  /** The arguments after the name, for ACP's command hint. */
  readonly hint?: string;
  readonly run: (turn: Turn, rest: string) => Promise<void>;
}

export const acts: ReadonlyMap<string, Act> = new Map<string, Act>([
  ["help", { usage: "help", description: "Show what you can ask for", run: help }],
  ["hello", { usage: "hello", description: "Say hello", run: hello }],
  ["plan", { usage: "plan", description: "Work through a plan of four steps", run: showPlan }],
  [
    "write",
    {
      usage: "write <file> [text]",
      description: "Write a small file here",
      hint: "<file> [text]",
      run: writeFile("as the mode says"),
    },
  ],
  [
    "read",
    {
      usage: "read <file>",
      description: "Show a file of the working directory",
      hint: "<file>",
      run: readFile("of its own accord"),
    },
  ],
  [
    "ask",
    {
      usage: "ask write|read <file>",
      description: "The same, but ask you first",
      hint: "write <file> [text] | read <file>",
      run: askFirst,
    },
  ],
  ["list", { usage: "list", description: "List the working directory", run: listFolder }],
  ["count", { usage: "count <n>", description: "Count to n, one chunk a number", hint: "<n>", run: count }],
  [
    "slow",
    { usage: "slow <seconds>", description: "Take that long: something to cancel", hint: "<seconds>", run: slow },
  ],
  ["bus", { usage: "bus", description: "See who is on the Bus, through the MCP server I was given", run: lookAtBus }],
  ["markdown", { usage: "markdown", description: "Answer in Markdown with everything in it", run: markdown }],
  ["fail", { usage: "fail", description: "End the turn with an error", run: fail }],
]);

/** Runs the act that the prompt names, with or without a slash. Reports errors of the file system in a message. */
export async function runAct(turn: Turn, prompt: string): Promise<void> {
  const [, name = "", rest = ""] = /^\s*\/?(\S*)\s*([^]*)$/.exec(prompt) ?? [];
  const act = acts.get(name.toLowerCase());
  try {
    await (act ? act.run(turn, rest.trimEnd()) : smallTalk(turn));
  } catch (error) {
    if (!isRefusedFile(error)) throw error;
    turn.endOpenToolCalls();
    await turn.say(`I cannot: ${error.message}.\n`);
  }
}

export function availableCommands(): object[] {
  return Array.from(acts, ([name, { description, hint }]) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }));
}

function isRefusedFile(error: unknown): error is Error {
  return error instanceof FolderError || (error instanceof Error && "syscall" in error);
}

async function help(turn: Turn): Promise<void> {
  const width = Math.max(...Array.from(acts.values(), ({ usage }) => usage.length));
  const lines = Array.from(acts.values(), ({ usage, description }) => `  ${usage.padEnd(width)}  ${description}`);
  if (turn.askForm) lines.push(`  ${"ask form".padEnd(width)}  Have you fill in a form`);
  await turn.say(`I am a demo: I need no model and no key. You can ask me to:\n\n${lines.join("\n")}\n`);
}

async function askFirst(turn: Turn, rest: string): Promise<void> {
  const [, name, target = ""] = /^(\S*)\s*([^]*)$/.exec(rest) ?? [];
  if (name === "write") await writeFile("ask first")(turn, target);
  else if (name === "read") await readFile("ask first")(turn, target);
  else if (name === "form" && turn.askForm) await askForm(turn, turn.askForm);
  else await turn.say("I can ask before I write or read: ask write <file> [text], ask read <file>\n");
}

/** Lists the services on the Bus with a tool of the MCP server that every session's agent gets. */
async function lookAtBus(turn: Turn): Promise<void> {
  const call = { title: "bus_services", kind: "search", rawInput: {} } as const;
  const server = turn.server("mixos");
  if (server === undefined) return await turn.say("I was given no MCP server mixos, so I cannot see the Bus.\n");
  const toolCallId = turn.startToolCall(call);
  turn.runToolCall(toolCallId);
  const { text, isError } = await turn.callTool(server, "bus_services", {});
  turn.endToolCall(toolCallId, isError ? "failed" : "completed", [textContent(text)]);
  if (isError) return await turn.say(`The Bus did not answer: ${text}\n`);
  const names = namesOf(text);
  await turn.say(
    `${names.length} on the Bus: ${names.join(", ")}.\n\nI asked through mixos-mcp, which every agent here is given. ` +
      "With its other tools an agent asks any of them, other coding agents too.\n",
  );
}

function namesOf(text: string): string[] {
  const listed: unknown = JSON.parse(text);
  return Array.isArray(listed) ? listed.filter(isRecord).map(({ name }) => String(name)) : [];
}

/** A field of each type. */
const formSchema = {
  type: "object",
  title: "About you",
  properties: {
    name: { type: "string", title: "Your name", minLength: 1, maxLength: 40 },
    colour: { type: "string", title: "A colour", enum: ["red", "green", "blue"], default: "green" },
    number: { type: "integer", title: "A number", minimum: 1, maximum: 100 },
    days: {
      type: "array",
      title: "Good days",
      items: { anyOf: ["mon", "wed", "fri"].map((day) => ({ const: day, title: day.toUpperCase() })) },
      maxItems: 2,
    },
    polite: { type: "boolean", title: "Say goodbye", default: true },
  },
  required: ["name"],
};

async function askForm(turn: Turn, ask: NonNullable<Turn["askForm"]>): Promise<void> {
  const content = await ask("Who are you? Nothing of it leaves this demo.", formSchema);
  if (content === undefined) return await turn.say("You would rather not say.\n");
  const told = Object.entries(content).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  await turn.say(
    `Nice to meet you. You told me:\n\n${told.join("\n")}\n${content["polite"] === true ? "\nGoodbye!\n" : ""}`,
  );
}
