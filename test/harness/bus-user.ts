// SPDX-License-Identifier: MIT OR Apache-2.0
// Somebody on the Bus who uses the service `agent`: calls its verbs and watches its topic.
import type { BusClient, Delivery } from "../../bus-client/index.ts";
import type {
  Entry,
  EntryKind,
  Publication,
  SessionSnapshot,
  TruncatedEntry,
  Verb,
  VerbInput,
  WaitReply,
} from "../../agentd/vocabulary/index.ts";
import { topic } from "../../agentd/vocabulary/index.ts";
import { within } from "./deadline.ts";

type Seen = Entry | TruncatedEntry;

/** A refusal, as an error that a test can look into. */
export class Refused extends Error {
  readonly code: string;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(verb: string, body: Readonly<Record<string, unknown>>) {
    super(`${verb}: ${String(body["error_code"])}: ${String(body["message"])}`);
    this.code = String(body["error_code"]);
    this.body = body;
  }
}

export class BusUser {
  readonly client: BusClient;
  /** Everything the topic brought, in order. */
  readonly seen: Seen[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(client: BusClient) {
    this.client = client;
  }

  static async watching(client: BusClient): Promise<BusUser> {
    const user = new BusUser(client);
    await client.subscribe(topic, (delivery) => user.#note(delivery));
    return user;
  }

  /** The reply's body; throws Refused. */
  async call<R = Record<string, unknown>, V extends Verb = Verb>(verb: V, args: VerbInput<V>): Promise<R> {
    const reply = await this.client.call("agent", verb, args);
    const body = JSON.parse(reply.body) as Record<string, unknown>;
    if (reply.rc >= 10) throw new Refused(verb, body);
    return body as R;
  }

  /** The code of the refusal; fails where there is none. */
  async refusal<V extends Verb>(verb: V, args: VerbInput<V>): Promise<Refused> {
    try {
      await this.call(verb, args);
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
    throw new Error(`${verb} was not refused`);
  }

  /** A session's id. */
  async start(args: VerbInput<"agent.session.start">): Promise<string> {
    const { session } = await this.call<{ session: string }>("agent.session.start", args);
    return session;
  }

  async prompt(session: string, prompt: string, when_busy: "refuse" | "queue" | "steer" = "refuse"): Promise<number> {
    const { turn } = await this.call<{ turn: number }>("agent.session.prompt", { session, prompt, when_busy });
    return turn;
  }

  /** Idle, waiting or ended, in less than the wait's own time limit. */
  async wait(session: string, ...until: ("idle" | "waiting" | "ended")[]): Promise<WaitReply> {
    const reply = await this.call<WaitReply>("agent.session.wait", { session, until });
    if (reply.timed_out) throw new Error(`${session} is still ${reply.state}, not ${until.join(" or ")}`);
    return reply;
  }

  async get(session: string): Promise<SessionSnapshot> {
    return await this.call<SessionSnapshot>("agent.session.get", { session });
  }

  /** The whole log of a session, page by page. */
  async log(session: string, kinds?: EntryKind[]): Promise<Entry[]> {
    const entries: Entry[] = [];
    let after: string | undefined;
    do {
      const args = { session, ...(after === undefined ? {} : { after }), ...(kinds === undefined ? {} : { kinds }) };
      const page: { entries: Entry[]; next?: string } = await this.call("agent.session.log", args);
      entries.push(...page.entries);
      after = page.next;
    } while (after !== undefined);
    return entries;
  }

  /** The first entry on the topic, past or to come, that fits. */
  async entry<E extends Seen = Entry>(session: string, fits: (entry: Entry) => boolean, ms = 30_000): Promise<E> {
    let from = 0;
    const found = (): E | undefined => {
      for (; from < this.seen.length; from += 1) {
        const entry = this.seen[from] as Entry;
        if (entry.session === session && fits(entry)) return entry as E;
      }
      return undefined;
    };
    const first = found();
    if (first) return first;
    let stop: () => void = () => {};
    const coming = new Promise<E>((resolve) => {
      const look = (): void => {
        const entry = found();
        if (entry) resolve(entry);
      };
      this.#watchers.add(look);
      stop = () => this.#watchers.delete(look);
    });
    try {
      return await within(
        ms,
        () => `no such entry of ${session} came; the last was ${JSON.stringify(this.seen.at(-1))}`,
        coming,
      );
    } finally {
      stop();
    }
  }

  #note(delivery: Delivery): void {
    const publication = JSON.parse(delivery.body) as Publication;
    if ("entries" in publication && "seq_from" in publication) this.seen.push(...publication.entries);
    else this.seen.push(publication);
    for (const look of this.#watchers) look();
  }
}
