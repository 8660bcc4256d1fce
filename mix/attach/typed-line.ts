// SPDX-License-Identifier: MIT OR Apache-2.0
// Interprets a line that a person typed below a live view. Commands begin with a colon, as agents use the slash.
import type { CommandsEntry, ElicitationEntry, PermissionEntry } from "../../agentd/vocabulary/entries.ts";
import type { VerbInput } from "../../agentd/vocabulary/verbs.ts";
import { closestWord } from "../../display/closest-word.ts";
import { optionByNumber } from "../questions/chosen-option.ts";
import { fieldValue, formFields, type FormField } from "../../agent-client/view/form-fields.ts";
import { formContent, wordsOf } from "../input/assignments.ts";
import type { Decision } from "../../agent-client/view/decision.ts";
import { decisionFor } from "../questions/permission-decision.ts";
import type { AskedEntry } from "../../agent-client/view/open-questions.ts";
import { subjectOf } from "../questions/subject.ts";

export type LineMeaning =
  | { readonly kind: "nothing" | "cancel" | "close" | "detach" }
  | { readonly kind: "permission"; readonly answer: VerbInput<"agent.permission.answer"> }
  | { readonly kind: "elicitation"; readonly answer: VerbInput<"agent.elicitation.answer"> }
  | { readonly kind: "prompt"; readonly text: string }
  /** Shows the turns that came before: all, or the last ones. */
  | { readonly kind: "history"; readonly turns: number | undefined }
  | { readonly kind: "words"; readonly text: string };

/**
 * Without a question the line is a prompt. Throws a usage error for fields that cannot be parsed, and for a yes that
 * could mean several options.
 */
export function lineMeaning(line: string, question: AskedEntry | undefined): LineMeaning {
  const written = line.trim();
  if (written === "") return { kind: "nothing" };
  if (written.startsWith(":")) return commandMeaning(written.slice(1), question);
  // Several lines are a paste, and a paste never says yes.
  if (question !== undefined && line.includes("\n") && kindOf(question) !== "form")
    return { kind: "words", text: `several lines are not an answer; ${answerHelp(question)}` };
  if (question?.kind === "elicitation") return elicitationMeaning(question, written);
  if (question !== undefined) {
    const decision = typedDecision(question, written);
    // Sent as a prompt, the line would wait in the queue behind the very question that it does not answer.
    if (decision === undefined) return { kind: "words", text: `${written} is not an answer; ${answerHelp(question)}` };
    return { kind: "permission", answer: { request: question.request, ...decision } };
  }
  return { kind: "prompt", text: line };
}

/** The text before the answer: what is asked, which of several questions it is, and what can be typed. */
export function answerPrompt(question: AskedEntry, count: string, columns: number): string {
  const subject = `${subjectOf(question, Math.max(subjectColumnsMin, Math.floor(columns / 2)))}${count}`;
  if (question.kind === "permission") return `allow ${subject}? [y/n/1–${question.options?.length ?? 0}] `;
  if (question.mode === "url") return `${subject}? [yes, :decline] `;
  return `${subject} ${onlyField(question) === undefined ? "field=value…" : "answer"}: `;
}

const subjectColumnsMin = 16;

function elicitationMeaning(question: ElicitationEntry, written: string): LineMeaning {
  const { request, mode, schema } = question;
  if (mode === "url") {
    if (written === "yes") return { kind: "elicitation", answer: { request, action: "accept" } };
    return { kind: "words", text: answerHelp(question) };
  }
  const field = onlyField(question);
  const content =
    field === undefined ? formContent(schema, wordsOf(written)) : { [field.name]: fieldValue(field, written) };
  return { kind: "elicitation", answer: { request, action: "accept", content } };
}

/** The only field of a form. The whole line is then its value, without the field's name. */
function onlyField({ schema }: ElicitationEntry): FormField | undefined {
  const [field, ...others] = formFields(schema);
  return others.length > 0 || field?.type === "array" ? undefined : field;
}

function commandMeaning(command: string, question: AskedEntry | undefined): LineMeaning {
  if (command === "cancel" || command === "close" || command === "detach") return { kind: command };
  if (command === "d" || command === "q") return { kind: "detach" };
  const [, history, turns] = /^(history)(?: +(\d{1,6}))?$/.exec(command) ?? [];
  if (history !== undefined) return { kind: "history", turns: turns === undefined ? undefined : Number(turns) };
  if (question?.kind === "permission" && command === "dismiss") {
    return { kind: "permission", answer: { request: question.request, cancelled: true } };
  }
  if (question?.kind === "elicitation") {
    const { request } = question;
    if (command === "accept") return { kind: "elicitation", answer: { request, action: "accept" } };
    if (command === "decline") return { kind: "elicitation", answer: { request, action: "decline" } };
    if (command === "dismiss") return { kind: "elicitation", answer: { request, action: "cancel" } };
  }
  if (command === "help" || command === "") return { kind: "words", text: helpText(question) };
  const names = colonCommands(question).map(({ name }) => name);
  const meant = closestWord(command, names) ?? names.find((name) => name.startsWith(command));
  const advice = meant === undefined ? `there are :${names.join(", :")}` : `did you mean :${meant}?`;
  return { kind: "words", text: `:${command} is not a command; ${advice}` };
}

/** The commands that can be typed now, with what they do. */
export function colonCommands(question: AskedEntry | undefined): CommandsEntry["commands"] {
  return [...(question === undefined ? [] : questionCommands[kindOf(question)]), ...commandsAlways];
}

const commandsAlways = [
  { name: "history", description: "of earlier turns" },
  { name: "cancel", description: "the turn" },
  { name: "close", description: "the session" },
  { name: "detach", description: "and leave it running" },
  { name: "help", description: "says what can be typed" },
];
const decline = { name: "decline", description: "says no" };
const dismiss = { name: "dismiss", description: "leaves it unanswered" };
const questionCommands = {
  permission: [dismiss],
  form: [{ name: "accept", description: "takes the defaults" }, decline, dismiss],
  url: [decline, dismiss],
};

function kindOf(question: AskedEntry): keyof typeof questionCommands {
  return question.kind === "permission" ? "permission" : question.mode === "url" ? "url" : "form";
}

/** One line for each kind of input. */
function helpText(question: AskedEntry | undefined): string {
  const commands = commandsAlways.slice(0, -1).map(({ name, description }) => `:${name} ${description}`);
  return [...(question === undefined ? [] : [answerHelp(question)]), commands.join(" · "), ...keysHelp].join("\n");
}

const keysHelp = [
  "Alt+Enter, or \\ at the end: a new line · Up, Down: earlier prompts",
  "Tab completes / and : · a paste waits for Enter",
];

function answerHelp(question: AskedEntry): string {
  const commands = questionCommands[kindOf(question)].map(({ name, description }) => `:${name} ${description}`);
  return [plainAnswerHelp(question), ...commands].join(" · ");
}

function plainAnswerHelp(question: AskedEntry): string {
  if (question.kind === "permission") return "y allows once, n refuses, an option's number or name chooses it";
  if (question.mode === "url") return "yes if you will open it";
  return onlyField(question) === undefined ? fieldsHelp : "the line is the answer";
}

const fieldsHelp = "field=value other='two words' answers";

/**
 * Tries yes and no, then the option's number, then its id. Yes and no are the person's own words: an agent that calls
 * an option "no" changes nothing.
 */
function typedDecision({ options = [] }: PermissionEntry, written: string): Decision | undefined {
  const word = written.toLowerCase();
  if (word === "y" || word === "yes") return decisionFor("allow", options, undefined);
  if (word === "n" || word === "no") return decisionFor("deny", options, undefined);
  const option = (optionByNumber(options, written) ?? options.find((one) => one.option === written))?.option;
  return option === undefined ? undefined : { option };
}
