// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Delivery } from "../../bus-client/index.ts";
import { jsonOrText } from "../input/assignments.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { ownError } from "../process/mix-error.ts";
import type { Invocation, VerbSpec } from "../input/verb.ts";
import { printableLine } from "../../display/printable.ts";

export const spec: VerbSpec = {
  usage: "listen <topic>",
  about:
    "Prints what is published on a topic, until Ctrl-C. Only the broker's registration identifies a publisher; `mix services --json` lists registrations.",
  flags: {
    count: { kind: "text", value: "N", about: "stop after N deliveries", isMain: true },
    timeout: { kind: "text", value: "TIME", about: "stop after this time (exit 3)", isMain: true },
  },
  examples: ["mix listen agent.session.updated --json"],
  neverStarts: true,
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, context, output } = invocation;
  const [count, timeoutMs] = [args.count("count", 1), args.duration("timeout")];
  const timeoutText = count === undefined ? "the time is up" : `fewer than ${count} deliveries came in time`;
  const bus = await invocation.connect("bus");
  bus.client.onState((state) => {
    if (state.kind === "disconnected" && state.attempt === 0) output.notice("the Bus is gone; waiting for it");
    if (state.kind === "connected") output.notice("the Bus is back; deliveries published meanwhile were missed");
  });
  return new Promise((resolve, reject) => {
    const printer = new DeliveryPrinter(invocation, count ?? Number.POSITIVE_INFINITY);
    const cancelTimer =
      timeoutMs === undefined ? undefined : context.after(timeoutMs, () => reject(ownError("TIME_LIMIT", timeoutText)));
    const finish = (outcome: Outcome): void => {
      cancelTimer?.();
      printer.flush().then(() => resolve(outcome), reject);
    };
    context.interrupts.listen(() => finish({ kind: "interrupted" }));
    const onDelivery = (delivery: Delivery): void => {
      if (printer.print(delivery) === "last") finish(done);
    };
    bus.client.subscribe(args.word(0), onDelivery).catch(reject);
  });
}

/** Prints deliveries in order. If the reader of stdout is slow, those above the limit are dropped and counted. */
class DeliveryPrinter {
  readonly #invocation: Invocation;
  #left: number;
  #pending = 0;
  #dropped = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(invocation: Invocation, count: number) {
    this.#invocation = invocation;
    this.#left = count;
  }

  print(delivery: Delivery): "last" | undefined {
    if (this.#left <= 0) return undefined;
    if (this.#pending >= pendingDeliveriesMax) {
      this.#dropped += 1;
      return undefined;
    }
    this.#left -= 1;
    this.#pending += 1;
    this.#written = this.#written.then(async () => {
      await writeDelivery(this.#invocation, delivery);
      this.#pending -= 1;
    });
    return this.#left === 0 ? "last" : undefined;
  }

  async flush(): Promise<void> {
    await this.#written;
    if (this.#dropped > 0) this.#invocation.output.notice(`${this.#dropped} deliveries came too fast and were dropped`);
  }
}

const pendingDeliveriesMax = 1_024;

async function writeDelivery({ output }: Invocation, delivery: Delivery): Promise<void> {
  const { topic, command, seq, body, registration, stale, cleared } = delivery;
  if (output.mode === "json") {
    return output.row({ topic, command, seq, registration, stale, cleared, body: jsonOrText(body) });
  }
  if (output.mode === "ids") return output.line(`${seq ?? "-"}`);
  return output.lines(`${seq ?? "-"}  ${printableLine(command)}  ${body}`);
}
