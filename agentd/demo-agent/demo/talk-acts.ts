// SPDX-License-Identifier: MIT OR Apache-2.0
import { RequestError } from "../../../acp-face/agent-side/request-error.ts";
import { RPC } from "../../../acp-client/jsonrpc/message.ts";
import { lookAround } from "./file-acts.ts";
import type { StepStatus, Turn } from "./turn.ts";

const countMax = 10_000;
const slowSecondsMax = 3600;

export async function hello(turn: Turn): Promise<void> {
  await turn.say(
    "Hello! I am the demo agent. I speak ACP, need no model and no key, and touch nothing but this directory.\n",
  );
}

export async function showPlan(turn: Turn): Promise<void> {
  await turn.think("Four steps should do. Each is shown as it moves.");
  const steps = ["Look around", "Think it over", "Do nothing, carefully", "Report"];
  await workThrough(turn, steps, () => turn.pause());
  await turn.say("All four steps are done.\n");
}

export async function smallTalk(turn: Turn): Promise<void> {
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

export async function count(turn: Turn, rest: string): Promise<void> {
  const upTo = numberUpTo(rest, countMax);
  if (upTo === undefined) return await turn.say(`Count to what? A number up to ${countMax}: count 10\n`);
  await turn.say(`${Array.from({ length: upTo }, (_, index) => index + 1).join(" ")}\n`);
}

export async function slow(turn: Turn, rest: string): Promise<void> {
  const seconds = numberUpTo(rest, slowSecondsMax);
  if (seconds === undefined) return await turn.say(`For how long? Seconds, up to ${slowSecondsMax}: slow 10\n`);
  for (let passed = 0; passed < seconds; passed += 1) {
    await turn.say(`${seconds - passed}… `);
    await turn.wait(1000);
  }
  await turn.say("done.\n");
}

export async function markdown(turn: Turn): Promise<void> {
  await turn.say(sample);
}

export async function fail(turn: Turn): Promise<void> {
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
