// SPDX-License-Identifier: MIT OR Apache-2.0
// What the scripted model says. A scenario is found by its words in what the user wrote; each request the agent makes
// after that takes the next of its steps. The choice reads the conversation alone and keeps no count of its own, so
// any number of agents and sessions share one server, and a session that was loaded again goes on where it was.

export interface Scenario {
  /** Looked for in the user's texts; the last one that has any scenario's words decides. */
  readonly words: string;
  /** Step n answers the nth request after those words; the last step answers all further ones. */
  readonly steps: readonly [Step, ...Step[]];
}

export type Step = SaidStep | ((conversation: readonly ConversationEntry[]) => SaidStep);
export type SaidStep = Answer | Refusal;

export interface Answer {
  readonly thinking?: string;
  /** Streamed piece by piece. */
  readonly text?: readonly string[];
  /** How long the model waits before each piece. */
  readonly pieceDelayMs?: number;
  /** After the text the stream stays open until the client leaves. */
  readonly hangs?: boolean;
  readonly calls?: readonly ModelToolCall[];
}

/** The request fails with this HTTP status. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** A call of one of the agent's own tools: with JSON arguments, or with free text where the tool takes that. */
export type ModelToolCall =
  | { readonly name: string; readonly namespace?: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly name: string; readonly input: string };

/** One entry of a conversation, whatever the dialect. An answer of the model may be several assistant entries in a row. */
export interface ConversationEntry {
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly text: string;
}

export interface Choice {
  /** The words of the scenario, or null where none applied. */
  readonly words: string | null;
  readonly index: number;
  readonly step: SaidStep;
}

export function chooseStep(
  scenarios: readonly Scenario[],
  conversation: readonly ConversationEntry[],
  offersTools: boolean,
): Choice {
  // A request without tools is not the turn: the agent wants a title or a summary.
  if (!offersTools) return { words: null, index: 0, step: titleAnswer };
  const found = lastWords(scenarios, conversation);
  if (found === undefined) return { words: null, index: 0, step: unknownAnswer };
  const { words, steps } = found.scenario;
  const index = Math.min(countAnswers(conversation.slice(found.position + 1)), steps.length - 1);
  const step = steps[index] ?? steps[0];
  return { words, index, step: typeof step === "function" ? step(conversation) : step };
}

const titleAnswer: Answer = { text: ["A scripted title"] };
const unknownAnswer: Answer = { text: ["The script has no scenario for this."] };

function lastWords(
  scenarios: readonly Scenario[],
  conversation: readonly ConversationEntry[],
): { scenario: Scenario; position: number } | undefined {
  for (let position = conversation.length - 1; position >= 0; position--) {
    const entry = conversation[position];
    if (entry?.role !== "user") continue;
    const scenario = lastIn(entry.text, scenarios);
    if (scenario !== undefined) return { scenario, position };
  }
  return undefined;
}

/** Of several in one text the one that stands last: what quotes an earlier prompt comes before what is asked now. */
function lastIn(text: string, scenarios: readonly Scenario[]): Scenario | undefined {
  let last: { scenario: Scenario; at: number } | undefined;
  for (const scenario of scenarios) {
    const at = text.lastIndexOf(scenario.words);
    if (at >= 0 && (last === undefined || at > last.at)) last = { scenario, at };
  }
  return last?.scenario;
}

function countAnswers(conversation: readonly ConversationEntry[]): number {
  return conversation.filter(({ role }, at) => role === "assistant" && conversation[at - 1]?.role !== "assistant")
    .length;
}
