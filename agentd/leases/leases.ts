// SPDX-License-Identifier: MIT OR Apache-2.0
// Which programs on the Bus serve sessions' agents as their editors. Leases are kept in memory only, since a program that
// comes back attaches again. A lease ends by detach, with its session, or when its program has left the Bus.
import { type Clock, parseRegisteredServices, type RegisteredService, type Reply } from "../../bus-client/index.ts";
import { tryParseJson } from "../../json/raw-json.ts";
import type { Limits } from "../config/limits.ts";
import type { LeaseOffer } from "../vocabulary/index.ts";

export interface LeasesOptions {
  readonly bus: {
    call(to: string, command: string): Promise<Reply>;
    subscribe(topic: string, listener: () => void): Promise<unknown>;
  };
  readonly after: Clock["after"];
  readonly limits: Pick<Limits, "leasesMax" | "leaseCheckMs" | "leaseGraceMs" | "leaseRejoinMs">;
  readonly onAttached: (session: string) => void;
  /** Not called when the session has ended. */
  readonly onLeft: (left: Left) => void;
  readonly onError: (error: unknown) => void;
}

export interface Left {
  readonly session: string;
  readonly citizen: string;
  /** It has left the Bus without a detach, and did not say `keepRunning`. */
  readonly cancelsTurns: boolean;
  /** The session has no other lease. */
  readonly isLast: boolean;
}

export interface LeaseRequest {
  readonly session: string;
  /** Its name on the Bus, as the broker stamped it. */
  readonly citizen: string;
  readonly offers: readonly LeaseOffer[];
  /** Its turns go on when it leaves the Bus. */
  readonly keepRunning: boolean;
}

export interface Lease {
  readonly citizen: string;
  /** Aborted when the lease has ended. */
  readonly ended: AbortSignal;
}

interface Held extends LeaseRequest {
  readonly end: AbortController;
  /** The last check that had begun when the program attached. It and earlier ones say nothing of this registration. */
  readonly attachedIn: number;
  /** Of the program's registration, as the first check saw it. */
  incarnation?: string;
  /** Present while the program is not registered. Cancels the end of the lease. */
  cancelEnd?: () => void;
}

/** The broker publishes on it when services come and go. Deliveries can be lost, so the list is read now and then, too. */
const registrationsTopic = "noded.props.changed";

export class Leases {
  readonly #options: LeasesOptions;
  /** Oldest first. */
  #held: readonly Held[] = [];
  #checks = 0;
  #isChecking = false;
  #checkDue = false;
  /** False from a reconnection of agentd until other programs have had the time to reconnect, too. */
  #isListTrusted = false;
  #cancelCheck: (() => void) | undefined;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Replaces the program's earlier lease of this session. Returns false if there are too many leases. */
  attach(request: LeaseRequest): boolean {
    const before = this.#find(request.session, request.citizen);
    if (!before && this.#held.length >= this.#options.limits.leasesMax) return false;
    if (before) keep(before);
    const end = before?.end ?? new AbortController();
    this.#held = [...this.#held.filter((one) => one !== before), { ...request, end, attachedIn: this.#checks }];
    this.#options.onAttached(request.session);
    this.#check();
    return true;
  }

  /** Returns false if there was no such lease. */
  detach(session: string, citizen: string): boolean {
    const held = this.#find(session, citizen);
    if (held) this.#onLeft(held, false);
    return held !== undefined;
  }

  endSession(session: string): void {
    for (const held of this.#held) if (held.session === session) this.#end(held);
  }

  /** Returns the session's newest lease that offers it and whose program is on the Bus. */
  find(session: string, offer: LeaseOffer): Lease | undefined {
    const held = this.#held.findLast(
      (one) => one.session === session && one.offers.includes(offer) && one.cancelEnd === undefined,
    );
    return held && { citizen: held.citizen, ended: held.end.signal };
  }

  onBus(connected: boolean): void {
    const { bus, onError, limits } = this.#options;
    this.#isListTrusted = connected && this.#held.length === 0;
    this.#cancelCheck?.();
    // Who is away is seen anew when agentd is back: the broker may have been restarted.
    for (const held of this.#held) keep(held);
    if (!connected) return;
    bus.subscribe(registrationsTopic, this.#onRegistrations).catch(onError);
    if (!this.#isListTrusted) this.#checkAfter(limits.leaseRejoinMs);
  }

  stop(): void {
    this.#cancelCheck?.();
    for (const held of this.#held) this.#end(held);
  }

  readonly #onRegistrations = (): void => this.#check();

  #find(session: string, citizen: string): Held | undefined {
    return this.#held.find((one) => one.session === session && one.citizen === citizen);
  }

  #end(held: Held): void {
    keep(held);
    this.#held = this.#held.filter((one) => one !== held);
    held.end.abort();
  }

  #checkAfter(ms: number): void {
    this.#cancelCheck?.();
    this.#cancelCheck = this.#options.after(ms, () => {
      this.#isListTrusted = true;
      this.#check();
    });
  }

  #check(): void {
    if (!this.#isListTrusted || this.#held.length === 0) return;
    this.#checkDue = true;
    if (!this.#isChecking) void this.#compareWithList();
  }

  async #compareWithList(): Promise<void> {
    const { bus, onError, limits } = this.#options;
    this.#isChecking = true;
    while (this.#checkDue) {
      this.#checkDue = false;
      this.#checks += 1;
      try {
        const { body } = await bus.call("noded", "noded.list");
        const services = parseRegisteredServices(tryParseJson(body));
        if (services && this.#isListTrusted) this.#onList(services, this.#checks);
      } catch (error) {
        onError(error);
      }
    }
    this.#isChecking = false;
    if (this.#isListTrusted && this.#held.length > 0) this.#checkAfter(limits.leaseCheckMs);
  }

  #onList(services: readonly RegisteredService[], check: number): void {
    const incarnations = new Map(services.map(({ name, meta }) => [name, meta?.registration_incarnation ?? ""]));
    for (const held of this.#held) {
      if (held.attachedIn >= check) continue;
      const incarnation = incarnations.get(held.citizen);
      if (incarnation !== undefined && incarnation === (held.incarnation ?? incarnation)) {
        held.incarnation = incarnation;
        keep(held);
      } else {
        held.cancelEnd ??= this.#options.after(this.#options.limits.leaseGraceMs, () =>
          this.#onLeft(held, !held.keepRunning),
        );
      }
    }
  }

  #onLeft(held: Held, cancelsTurns: boolean): void {
    this.#end(held);
    const { session, citizen } = held;
    const isLast = !this.#held.some((other) => other.session === session);
    this.#options.onLeft({ session, citizen, cancelsTurns, isLast });
  }
}

function keep(held: Held): void {
  held.cancelEnd?.();
  delete held.cancelEnd;
}
