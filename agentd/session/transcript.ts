// SPDX-License-Identifier: MIT OR Apache-2.0
// What was said in a session, from its log: told to an agent that knows nothing of it, and held against what an agent
// tells of it.
import { createHash } from "node:crypto";
import type { EntryReader } from "../log/read.ts";
import type { Entry, MessageEntry, StateEntry, TruncatedEntry } from "../vocabulary/index.ts";

type Message = Entry & MessageEntry;
type State = Entry & StateEntry;

/**
 * One text with the end of the conversation, at most `bytesMax` bytes of UTF-8, or undefined where nothing was said.
 * `beforeTurn`: of that turn and later ones nothing is told. Reads backwards, no more than it needs.
 */
export function renderTranscript(
  entries: EntryReader,
  session: string,
  beforeTurn: number,
  bytesMax: number,
): string | undefined {
  const pieces: Piece[] = [];
  let bytes = 0;
  let before: number | undefined = entries.lastSeq(session);
  if (before === undefined) return undefined;
  before += 1;
  while (before !== undefined && bytes < bytesMax) {
    const page = entries.page({ session, before, limit: 500, kinds: ["message"] });
    for (const body of page.entries.toReversed()) {
      const message = readWholeEntry(entries, session, body);
      if (message?.kind !== "message" || (message.turn !== undefined && message.turn >= beforeTurn)) continue;
      const text = toText(message);
      if (text === "") continue;
      const { role, turn, append } = message;
      pieces.push({ role, turn, append: append === true, text });
      bytes += Buffer.byteLength(text) + message.role.length + 4;
      if (bytes >= bytesMax) break;
    }
    before = page.previous;
  }
  if (pieces.length === 0) return undefined;
  const text = joinPieces(pieces.toReversed());
  return `The conversation so far, from the log of an earlier session${bytes >= bytesMax ? " (its end)" : ""}:\n\n${takeLastBytes(text, bytesMax)}`;
}

/** A page shows an entry that is too big for it by its size alone. */
function readWholeEntry(entries: EntryReader, session: string, shown: string): Message | State | undefined {
  const entry = JSON.parse(shown) as Message | State | TruncatedEntry;
  if (!("truncated" in entry)) return entry;
  const body = entries.body(session, entry.seq);
  return body === undefined ? undefined : (JSON.parse(body) as Message | State);
}

interface Piece {
  readonly role: string;
  readonly turn: number | undefined;
  /** It goes on where the one before ended. */
  readonly append: boolean;
  readonly text: string;
}

/** What was streamed in pieces is one paragraph; each prompt begins a new one, also after a prompt without an answer. */
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

/** The end of the text, whole characters. */
function takeLastBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let from = bytes.length - bytesMax;
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString();
}

type Role = "user" | "agent";

/** What each side has said, as far as two tellings of it can be compared: pieces and ids differ, words do not. */
export class TranscriptDigest {
  /** Whose words are held against each other. */
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

  /** To be asked once. */
  digests(): {
    readonly user: string;
    readonly agent: string;
    readonly lengths: Readonly<Record<Role, number>>;
  } {
    return { user: this.#roles.user.digest("hex"), agent: this.#roles.agent.digest("hex"), lengths: this.#lengths };
  }
}

/**
 * The same of the log, up to `seq`, page by page with room for other work in between. An agent that was begun afresh
 * knows what was said since, and has the transcript among its user's words: there the agent's alone are compared.
 */
export async function digestLog(
  entries: EntryReader,
  session: string,
  seq: number,
  breathe: () => Promise<void>,
): Promise<TranscriptDigest> {
  let digest = new TranscriptDigest();
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = entries.page({ session, after, before: seq + 1, limit: 1000, kinds: ["message", "state"] });
    for (const body of page.entries) {
      const entry = readWholeEntry(entries, session, body);
      if (entry?.kind === "message") digest.add(entry.role, entry.content["text"]);
      else if (entry?.resumed === "fresh") digest = new TranscriptDigest(["agent"]);
    }
    after = page.next;
    await breathe();
  }
  return digest;
}

/** In words, or undefined where both tell the same. */
export function describeTranscriptDifference(replayed: TranscriptDigest, logged: TranscriptDigest): string | undefined {
  const [theirs, ours] = [replayed.digests(), logged.digests()];
  const differing = logged.compared.filter((role) => theirs[role] !== ours[role]);
  if (differing.length === 0) return undefined;
  const how = differing.map(
    (role) => `${theirs.lengths[role]} characters of the ${role}'s words where the log has ${ours.lengths[role]}`,
  );
  return `the agent tells the past differently: ${how.join(", ")}; the log is what counts`;
}
