// SPDX-License-Identifier: MIT OR Apache-2.0
// A session's conversation from its log: as text for an agent that does not know it, and digested to compare with an
// agent's replay.
import { createHash } from "node:crypto";
import { utf8Tail } from "../../acp-client/process/byte-ring.ts";
import { type EntryReader, type PageQuery, parseWhole, readPages } from "../log/read.ts";
import type { Entry, MessageEntry } from "../vocabulary/index.ts";

type Message = Entry & MessageEntry;

/**
 * Renders the end of the conversation before `beforeTurn` in at most `bytesMax` UTF-8 bytes; undefined when nothing was
 * said. Reads backwards and stops at the limit.
 */
export function renderTranscript(
  entries: EntryReader,
  session: string,
  beforeTurn: number,
  bytesMax: number,
): string | undefined {
  const pieces: Piece[] = [];
  let bytes = 0;
  for (const message of messagesBackwards(entries, session)) {
    if (message.turn !== undefined && message.turn >= beforeTurn) continue;
    const text = toText(message);
    if (text === "") continue;
    const { role, turn, append } = message;
    pieces.push({ role, turn, append: append === true, text });
    bytes += Buffer.byteLength(text) + role.length + 4;
    if (bytes >= bytesMax) break;
  }
  if (pieces.length === 0) return undefined;
  const text = joinPieces(pieces.toReversed());
  return `The conversation so far, from the log of an earlier session${bytes >= bytesMax ? " (its end)" : ""}:\n\n${utf8Tail(Buffer.from(text), bytesMax)}`;
}

function* messagesBackwards(entries: EntryReader, session: string): Generator<Message, void, undefined> {
  const before = (entries.lastSeq(session) ?? 0) + 1;
  for (const page of readPages(entries, { session, before, limit: 500, kinds: ["message"] })) {
    for (const text of page.entries.toReversed()) {
      const entry = parseWhole(entries, session, text);
      if (entry?.kind === "message") yield entry;
    }
  }
}

interface Piece {
  readonly role: string;
  readonly turn: number | undefined;
  /** Continues the piece before. */
  readonly append: boolean;
  readonly text: string;
}

/** Joins streamed pieces into paragraphs. Each prompt begins a new one, even after a prompt without an answer. */
function joinPieces(pieces: readonly Piece[]): string {
  let text = "";
  let before: Piece | undefined;
  for (const piece of pieces) {
    const continues = piece.append && before?.role === piece.role && before.turn === piece.turn;
    text += continues ? piece.text : `${text === "" ? "" : "\n\n"}[${piece.role}] ${piece.text}`;
    before = piece;
  }
  return text;
}

function toText({ role, content }: Message): string {
  return role === "thought" || typeof content["text"] !== "string" ? "" : content["text"];
}

type Role = "user" | "agent";

/** Digests each side's words, ignoring message ids and how the text was chunked. */
export class TranscriptDigest {
  readonly compared: readonly Role[];
  readonly #roles = { user: createHash("sha256"), agent: createHash("sha256") };
  readonly #lengths = { user: 0, agent: 0 };

  constructor(compared: readonly Role[] = ["user", "agent"]) {
    this.compared = compared;
  }

  add(role: string, text: unknown): void {
    if ((role !== "user" && role !== "agent") || typeof text !== "string") return;
    this.#roles[role].update(text);
    this.#lengths[role] += text.length;
  }

  /** Ends the digest; call it once. */
  digests() {
    return { user: this.#roles.user.digest("hex"), agent: this.#roles.agent.digest("hex"), lengths: this.#lengths };
  }
}

/**
 * Digests the log up to `seq`, yielding to the event loop after each page. An agent that was opened `fresh` knows only
 * what was said since, with the transcript among its user's words, so only the agent's words are compared.
 */
export async function digestLog(
  entries: EntryReader,
  session: string,
  seq: number,
  yieldToEventLoop: () => Promise<void>,
): Promise<TranscriptDigest> {
  let digest = new TranscriptDigest();
  const query: PageQuery = { session, after: 0, before: seq + 1, limit: 1000, kinds: ["message", "state"] };
  for (const page of readPages(entries, query)) {
    for (const body of page.entries) {
      const entry = parseWhole(entries, session, body);
      if (entry?.kind === "message") digest.add(entry.role, entry.content["text"]);
      else if (entry?.kind === "state" && entry.resumed === "fresh") digest = new TranscriptDigest(["agent"]);
    }
    await yieldToEventLoop();
  }
  return digest;
}

/** Describes in words how a replay differs from the log; undefined when it does not. */
export function describeTranscriptDifference(replayed: TranscriptDigest, logged: TranscriptDigest): string | undefined {
  const [theirs, ours] = [replayed.digests(), logged.digests()];
  const differing = logged.compared.filter((role) => theirs[role] !== ours[role]);
  if (differing.length === 0) return undefined;
  const how = differing.map(
    (role) => `${theirs.lengths[role]} characters of the ${role}'s text where the log has ${ours.lengths[role]}`,
  );
  return `the agent's replay differs from the log: ${how.join(", ")}; the log is authoritative`;
}
