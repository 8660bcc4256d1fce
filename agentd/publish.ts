// SPDX-License-Identifier: MIT OR Apache-2.0
// Publishes committed entries on the topic, as the log has them, from a cursor in memory. There is no other queue: while
// the Bus is away or slow, entries wait in the log.
import type { Appended } from "./log/append.ts";
import { LogError } from "./log/log-error.ts";
import { type EntryReader, truncatedEntry } from "./log/read.ts";
import { type Entry, topic } from "./vocabulary/index.ts";

export interface PublisherBus {
  publish(topic: string, body: Buffer, options: { retain: boolean }, done: (error: Error | undefined) => void): void;
  cork(): void;
  uncork(): void;
}

export interface PublisherOptions {
  readonly log: string;
  readonly entries: EntryReader;
  readonly bus: PublisherBus;
  /** Unacknowledged publications. The broker's queue for a connection holds 256 messages, acknowledgements included. */
  readonly unansweredMax: number;
  /** UTF-8 bytes of one body; with its headers, the frame must stay below the broker's limit. */
  readonly bodyBytesMax: number;
}

interface Cursor {
  published: number;
  committed: number;
  /** A cache of the entries after `published`; empty if they must be read from the log. */
  texts: Buffer[];
  /** The session has ended: nothing more will be committed. */
  ended?: true;
}

/** Bytes of committed entries cached for publication, over all sessions. */
const cachedBytesMax = 8 * 1024 * 1024;

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #cursors = new Map<string, Cursor>();
  #behind = new Set<string>();
  #unanswered = 0;
  #cachedBytes = 0;
  #connected = false;
  /** Counts connections, so that acknowledgements of an earlier one are ignored. */
  #connection = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Publishes what one transaction has committed. */
  committed(appended: readonly Appended[]): void {
    for (const { session, seqFrom, seq, bodies } of appended) {
      if (seq < seqFrom) continue;
      const cursor = this.#cursorOf(session, seqFrom - 1);
      if (
        this.#connected &&
        cursor.published + cursor.texts.length === seqFrom - 1 &&
        this.#cachedBytes < cachedBytesMax
      ) {
        for (const body of bodies) {
          cursor.texts.push(body);
          this.#cachedBytes += body.length;
        }
      }
      cursor.committed = seq;
      this.#behind.add(session);
    }
    this.#publish();
  }

  /**
   * Call it when the Bus is connected. Publishes the last entry of each live session, so that followers notice what they
   * missed and fetch it from the log. Does not repeat unacknowledged publications.
   */
  connected(live: readonly { readonly session: string; readonly seq: number }[]): void {
    this.#connected = true;
    this.#connection += 1;
    this.#unanswered = 0;
    this.#dropTexts();
    this.#behind.clear();
    this.#cursors.clear();
    for (const { session, seq } of live) {
      if (seq === 0) continue;
      this.#cursors.set(session, { published: seq - 1, committed: seq, texts: [] });
      this.#behind.add(session);
    }
    this.#publish();
  }

  disconnected(): void {
    this.#connected = false;
    this.#dropTexts();
  }

  /** Drops the cursor of an ended session once everything is published. */
  ended(session: string): void {
    const cursor = this.#cursors.get(session);
    if (!cursor) return;
    if (cursor.published >= cursor.committed) this.#cursors.delete(session);
    else cursor.ended = true;
  }

  #publish(): void {
    const { bus, unansweredMax } = this.#options;
    if (!this.#connected || this.#behind.size === 0 || this.#unanswered >= unansweredMax) return;
    bus.cork();
    try {
      for (const session of this.#behind) {
        const cursor = this.#cursors.get(session);
        while (cursor && cursor.published < cursor.committed && this.#unanswered < unansweredMax) {
          this.#publishNext(session, cursor);
        }
        if (!cursor || cursor.published >= cursor.committed) {
          this.#behind.delete(session);
          if (cursor?.ended) this.#cursors.delete(session);
        }
        if (this.#unanswered >= unansweredMax) break;
      }
    } catch (error) {
      // Entries that cannot be read now are published after the next commit.
      if (!(error instanceof LogError)) throw error;
    } finally {
      bus.uncork();
    }
  }

  /**
   * Publishes as many entries as fit one frame. Smaller publications would be cheaper to copy, but the broker keeps only
   * 256 messages for a slow reader, whatever their size, and drops the rest.
   */
  #publishNext(session: string, cursor: Cursor): void {
    const texts = this.#nextTexts(session, cursor);
    if (texts.length === 0) return;
    const { log, bodyBytesMax } = this.#options;
    let count = 0;
    let bytes = 0;
    for (const text of texts) {
      if (count > 0 && bytes + text.length + 1 > bodyBytesMax) break;
      bytes += text.length + 1;
      count += 1;
    }
    const from = cursor.published + 1;
    const to = cursor.published + count;
    let body: Buffer;
    if (count > 1) {
      const head = `{"log":"${log}","session":"${session}","seq_from":${from},"seq":${to},"entries":[`;
      body = joinEntries(head, texts.slice(0, count), "]}\n");
    } else if (bytes > bodyBytesMax) body = truncatedBody(log, session, from, texts[0]!);
    else body = joinEntries("", texts.slice(0, 1), "\n");
    cursor.published = to;
    for (const text of cursor.texts.splice(0, count)) this.#cachedBytes -= text.length;
    this.#unanswered += 1;
    const connection = this.#connection;
    this.#options.bus.publish(topic, body, { retain: false }, () => this.#answered(connection));
  }

  #answered(connection: number): void {
    if (connection !== this.#connection) return;
    this.#unanswered -= 1;
    if (this.#behind.size > 0) this.#publish();
  }

  #nextTexts(session: string, cursor: Cursor): readonly Buffer[] {
    if (cursor.texts.length > 0) return cursor.texts;
    const { entries, bodyBytesMax: bytesMax } = this.#options;
    const page = entries.page({ session, after: cursor.published, limit: 256, bytesMax });
    // A purge may have removed unpublished entries; continues after them.
    const first = page.entries[0];
    cursor.published = first === undefined ? cursor.committed : seqOf(first) - 1;
    return page.entries.map((text) => Buffer.from(text));
  }

  #cursorOf(session: string, published: number): Cursor {
    const known = this.#cursors.get(session);
    if (known) return known;
    const fresh: Cursor = { published, committed: published, texts: [] };
    this.#cursors.set(session, fresh);
    return fresh;
  }

  #dropTexts(): void {
    for (const cursor of this.#cursors.values()) cursor.texts = [];
    this.#cachedBytes = 0;
  }
}

function seqOf(text: string): number {
  return (JSON.parse(text) as { seq: number }).seq;
}

/** Joins entries with commas. The line feed at the end is the Bus's: with it, the bytes are sent on as they are. */
function joinEntries(head: string, texts: readonly Buffer[], end: string): Buffer {
  const parts = texts.flatMap((text, index) => (index === 0 ? [text] : [comma, text]));
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(end)]);
}

const comma = Buffer.from(",");

/** The replacement of an entry that is too large for a frame; readers fetch it from the log. */
function truncatedBody(log: string, session: string, seq: number, text: Buffer): Buffer {
  const { kind } = JSON.parse(text.toString()) as Entry;
  return Buffer.from(truncatedEntry(log, session, seq, kind, text.length));
}
