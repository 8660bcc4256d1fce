// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Answer, ConversationEntry, ModelToolCall, Refusal } from "./script.ts";
import type { EventStream } from "./event-stream.ts";

/** One wire format of model providers. A further one is a file beside these and a place in the server's list. */
export interface Dialect {
  readonly name: string;
  /** Whether it answers POST requests to this path. */
  serves(path: string): boolean;
  read(body: JsonObject, path: string): Asked;
  /** The answer as one JSON body, for a request that does not stream. */
  whole(answer: Answer, to: AnswerTo): JsonObject;
  /** The answer as server-sent events; returns early when the client has left. */
  stream(answer: Answer, to: AnswerTo, events: EventStream): Promise<void>;
  refusal(refusal: Refusal): JsonObject;
}

export type JsonObject = Record<string, unknown>;

/** What an agent asks its model. */
export interface Asked {
  readonly model: string;
  /** How hard it is to think; empty where nothing is said of it. */
  readonly effort: string;
  readonly conversation: readonly ConversationEntry[];
  /** How many images the conversation holds. */
  readonly images: number;
  readonly toolNames: readonly string[];
  readonly stream: boolean;
  /** Of a request for a decision of the agent's own (which model, is this a loop), not for words to people. */
  readonly wantsJson?: boolean;
}

export interface AnswerTo {
  /** Unique in one server's life; the ids in an answer are made from it. */
  readonly id: string;
  readonly model: string;
}

/** The text of a message's content, which both of OpenAI's dialects give as a string or as a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
    .join("\n");
}

export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value)
    ? value.filter((item): item is JsonObject => typeof item === "object" && item !== null)
    : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The parts of a message's content, in one of OpenAI's dialects, that are images. */
export function imagesIn(content: unknown): number {
  return objects(content).filter(({ type }) => type === "image_url" || type === "input_image").length;
}

/** `dialect`: one whose calls all have JSON arguments. */
export function jsonArguments(call: ModelToolCall, dialect: string): Readonly<Record<string, unknown>> {
  if ("input" in call) throw new Error(`the tool ${call.name} takes free text, which ${dialect} cannot say`);
  return call.arguments;
}
