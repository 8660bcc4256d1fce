// SPDX-License-Identifier: MIT OR Apache-2.0
// Waits for one message on a topic.
import { type BusClient, BusError, type Delivery, type Subscribed } from "../bus-client/index.ts";

export interface DeliveryWait {
  readonly topic: string;
  readonly timeoutMs: number;
  readonly matches: (delivery: Delivery) => boolean;
  /** Whether the topic's retained message counts. */
  readonly retained: boolean;
  readonly signal: AbortSignal;
}

export interface NextDelivery {
  /** Undefined if none came in time. */
  readonly delivery: Delivery | undefined;
  readonly retained: boolean;
  /** Whether the connection was lost meanwhile, so that messages may have been missed. */
  readonly reconnected: boolean;
}

/** Rejects with the signal's reason, or with BusError if the topic cannot be subscribed to or the client ends. */
export async function nextDelivery(client: BusClient, waiting: DeliveryWait): Promise<NextDelivery> {
  const { topic, timeoutMs, matches, retained, signal } = waiting;
  const { generation } = client;
  const inbox = new FirstMatch(matches, retained);
  const subscribing = client.subscribe(topic, inbox.take);
  const timer = setTimeout(() => inbox.end(undefined), timeoutMs);
  const abort = (): void => inbox.fail(signal.reason);
  signal.addEventListener("abort", abort);
  const unwatch = client.onState((state) => {
    if (state.kind === "fatal") inbox.fail(state.cause);
    else if (state.kind === "shutting-down") inbox.fail(new BusError("STOPPED"));
  });
  subscribing.then(inbox.subscribed, inbox.fail);
  if (signal.aborted) abort();
  try {
    const found = await inbox.first;
    return {
      delivery: found?.delivery,
      retained: found?.retained === true,
      reconnected: client.generation > generation,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    unwatch();
    // Not awaited: the result is known, and a subscription that cannot be removed ends with the connection.
    void subscribing.then(() => client.unsubscribe(topic, inbox.take)).catch(() => {});
  }
}

interface Found {
  readonly delivery: Delivery;
  readonly retained: boolean;
}

/** Collects deliveries until the broker's answer to the subscription tells which of them were retained. */
class FirstMatch {
  readonly first: Promise<Found | undefined>;
  readonly #matches: (delivery: Delivery) => boolean;
  readonly #takesRetained: boolean;
  #early: Delivery[] | undefined = [];
  #resolve!: (found: Found | undefined) => void;
  #reject!: (cause: unknown) => void;

  constructor(matches: (delivery: Delivery) => boolean, takesRetained: boolean) {
    this.#matches = matches;
    this.#takesRetained = takesRetained;
    this.first = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  readonly take = (delivery: Delivery): void => {
    if (this.#early === undefined) this.#offer(delivery, false);
    else this.#early.push(delivery);
  };

  readonly subscribed = ({ replayed, seq }: Subscribed): void => {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const delivery of early) {
      const isRetained = replayed && seq !== undefined && delivery.seq !== undefined && delivery.seq <= seq;
      this.#offer(delivery, isRetained);
    }
  };

  readonly fail = (cause: unknown): void => this.#reject(cause);

  end(found: Found | undefined): void {
    this.#resolve(found);
  }

  #offer(delivery: Delivery, retained: boolean): void {
    if (delivery.cleared || (retained && !this.#takesRetained) || !this.#matches(delivery)) return;
    this.end({ delivery, retained });
  }
}
