// SPDX-License-Identifier: MIT OR Apache-2.0
// The acts that a prompt to the demo agent can name. Any other prompt is small talk.
import { RequestError } from "../../../acp-face/agent-side/request-error.ts";
import { RPC } from "../../../acp-client/jsonrpc/message.ts";
import { isRecord } from "../../../json/record.ts";
import { listFolder, lookAround, readFile, writeFile } from "./file-acts.ts";
import { FolderError } from "./session-folder.ts";
import { type StepStatus, type Turn, type TurnContext, textContent } from "./turn.ts";

const countMax = 10_000;
const slowSecondsMax = 3600;

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
  ["bus", { usage: "bus", description: "See who is on the Bus, through the MCP server I got", run: lookAtBus }],
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
  if (turn.context.askForm) lines.push(`  ${"ask form".padEnd(width)}  Have you fill in a form`);
  await turn.say(`I am a demo: I need no model and no key. You can ask me to:\n\n${lines.join("\n")}\n`);
}

async function hello(turn: Turn): Promise<void> {
  await turn.say(
    "Hello! I am the demo agent. I speak ACP, need no model and no key, and touch nothing but this directory.\n",
  );
}

async function showPlan(turn: Turn): Promise<void> {
  await turn.think("Four steps should do. Each is shown as it moves.");
  const steps = ["Look around", "Think it over", "Do nothing, carefully", "Report"];
  await workThrough(turn, steps, () => turn.pause());
  await turn.say("All four steps are done.\n");
}

async function smallTalk(turn: Turn): Promise<void> {
  await turn.think("I have no model to ask, so I look around and tell what I see.");
  const seen = { total: 0 };
  await workThrough(turn, ["Read the prompt", "List the working directory", "Answer"], async (step) => {
    if (step === 1) seen.total = (await lookAround(turn)).total;
    else await turn.pause();
  });
  const things = seen.total === 1 ? "1 thing" : `${seen.total} things`;
  await turn.say(
    `I am only a demo and did not understand that, but I looked: this directory holds ${things}.\n\ntry: help\n`,
  );
}

async function count(turn: Turn, rest: string): Promise<void> {
  const upTo = numberUpTo(rest, countMax);
  if (upTo === undefined) return await turn.say(`Count to what? A number up to ${countMax}: count 10\n`);
  await turn.say(`${Array.from({ length: upTo }, (_, index) => index + 1).join(" ")}\n`);
}

async function slow(turn: Turn, rest: string): Promise<void> {
  const seconds = numberUpTo(rest, slowSecondsMax);
  if (seconds === undefined) return await turn.say(`For how long? Seconds, up to ${slowSecondsMax}: slow 10\n`);
  for (let passed = 0; passed < seconds; passed += 1) {
    await turn.say(`${seconds - passed}… `);
    await turn.wait(1000);
  }
  await turn.say("done.\n");
}

async function markdown(turn: Turn): Promise<void> {
  await turn.say(sample);
}

async function fail(turn: Turn): Promise<void> {
  await turn.say("As you wish.\n");
  throw new RequestError(RPC.internalError, "the demo agent was asked to fail");
}

async function workThrough(turn: Turn, steps: readonly string[], work: (step: number) => Promise<void>): Promise<void> {
  for (const step of steps.keys()) {
    turn.plan(steps.map((content, index) => [content, statusAt(index, step)]));
    await work(step);
  }
  turn.plan(steps.map((content) => [content, "completed"]));
}

function statusAt(index: number, current: number): StepStatus {
  if (index < current) return "completed";
  return index === current ? "in_progress" : "pending";
}

function numberUpTo(text: string, max: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number <= max ? number : undefined;
}

async function askFirst(turn: Turn, rest: string): Promise<void> {
  const [, name, target = ""] = /^(\S*)\s*([^]*)$/.exec(rest) ?? [];
  if (name === "write") await writeFile("ask first")(turn, target);
  else if (name === "read") await readFile("ask first")(turn, target);
  else if (name === "form" && turn.context.askForm) await askForm(turn, turn.context.askForm);
  else await turn.say("I can ask before I write or read: ask write <file> [text], ask read <file>\n");
}

/** Lists the services on the Bus with a tool of the MCP server that every session's agent gets. */
async function lookAtBus(turn: Turn): Promise<void> {
  const call = { title: "bus_services", kind: "search", rawInput: {} } as const;
  const server = turn.context.server("mixos");
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
  const services = isRecord(listed) ? listed["services"] : undefined;
  return Array.isArray(services) ? services.filter(isRecord).map(({ name }) => String(name)) : [];
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

async function askForm(turn: Turn, ask: NonNullable<TurnContext["askForm"]>): Promise<void> {
  const content = await ask("Who are you? Nothing of it leaves this demo.", formSchema);
  if (content === undefined) return await turn.say("You would rather not say.\n");
  const told = Object.entries(content).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  await turn.say(
    `Nice to meet you. You told me:\n\n${told.join("\n")}\n${content["polite"] === true ? "\nGoodbye!\n" : ""}`,
  );
}

const sample = `# A heading

Some **bold**, some *italic*, some \`code\`, and a [link](https://agentclientprotocol.com).

- one
- two
  - two and a half

1. first
2. second

> A quotation.

\`\`\`ts
export const answer: number = 42;
\`\`\`

| name | kind |
| --- | --- |
| read | safe |
| write | asks |
`;
