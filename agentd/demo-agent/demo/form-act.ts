// SPDX-License-Identifier: MIT OR Apache-2.0
// A form with a field of each type.
import type { Turn } from "./turn.ts";

const schema = {
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

export async function askForm(turn: Turn, ask: NonNullable<Turn["askForm"]>): Promise<void> {
  const content = await ask("Who are you? Nothing of it leaves this demo.", schema);
  if (content === undefined) return await turn.say("You would rather not say.\n");
  const told = Object.entries(content).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  await turn.say(
    `Nice to meet you. You told me:\n\n${told.join("\n")}\n${content["polite"] === true ? "\nGoodbye!\n" : ""}`,
  );
}
