// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { BusError } from "../bus-error.ts";
import { systemClock, type Clock } from "../clock.ts";
import { localTransportPair } from "../local-transport.ts";
import { closeTimeoutMs, type Transport } from "../transport.ts";
import { defaultLimits, type BrokerLimits } from "./limits.ts";
import { listenTcp, listenUnix, type Accept, type Listener } from "./listen.ts";
import { nodedVerbs } from "./noded-verbs.ts";
import { LocalLane, SocketLane, type Lane, type OutboundMessage } from "./outbound.ts";
import { nameOf, type Peer } from "./peer.ts";
import { PropsChanged } from "./props-changed.ts";
import { randomHex, Registry } from "./registry.ts";
import { RetainedMessages } from "./retained-messages.ts";
import { Router } from "./router.ts";
import { topicVerbs } from "./topic-verbs.ts";
import { Topics } from "./topics.ts";

/** An event of a broker, for a log. */
export type BrokerEvent =
  | { readonly kind: "services-changed"; readonly cause: string }
  | { readonly kind: "dropped"; readonly peer: string }
  | { readonly kind: "upgrade-refused"; readonly reason: string };

export interface BrokerOptions {
  readonly clock?: Clock;
  /** The name of this node, a single label. Default `local`. */
  readonly node?: string;
  readonly version?: string;
  /** The program that hosts this broker, reported by `noded.info`, since the broker ends with that program. */
  readonly hostedBy?: string;
  /** The user that must own the Unix socket's directory. Default: the user of this process. */
  readonly uid?: number;
  readonly limits?: Partial<BrokerLimits>;
  readonly onEvent?: (event: BrokerEvent) => void;
}

export function createBroker(options: BrokerOptions = {}): Broker {
  return new Broker(options);
}

/** A broker inside this process: a Bus for one user on one machine, without mesh, native sessions, tap and observe. */
export class Broker {
  readonly #clock: Clock;
  readonly #uid: number;
  readonly #limits: BrokerLimits;
  readonly #onEvent: (event: BrokerEvent) => void;
  readonly #registry: Registry;
  readonly #retained: RetainedMessages;
  readonly #topics: Topics;
  readonly #propsChanged: PropsChanged;
  readonly #router: Router;
  readonly #peers = new Set<Peer>();
  readonly #listeners: Listener[] = [];
  readonly #byPath = new Map<string, Listener>();
  readonly #startedMs: number;
  readonly #incarnation = randomHex(16);
  #dropped = 0;
  #closed: Promise<void> | undefined;
  #allGone: (() => void) | undefined;

  constructor(options: BrokerOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#uid = options.uid ?? process.getuid?.() ?? 0;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#onEvent = options.onEvent ?? ignore;
    this.#startedMs = this.#clock.now();
    const send = (peer: Peer, message: OutboundMessage): boolean => this.#send(peer, message);
    this.#registry = new Registry(this.#clock, (cause) => this.#servicesChanged(cause));
    this.#retained = new RetainedMessages(this.#clock, this.#limits);
    this.#topics = new Topics(this.#limits, this.#retained, send);
    const nobody = { "services.registered": [], "services.count": 0 };
    this.#propsChanged = new PropsChanged(this.#clock, this.#limits.propsChangedMs, nobody, (change) => {
      const { path, cause } = change;
      this.#publishOwn("noded.props.changed", { command: "props.changed", path, cause }, JSON.stringify(change));
    });
    const node = options.node ?? "local";
    const facts = {
      node,
      version: options.version ?? "0.0.0",
      hostedBy: options.hostedBy,
      incarnation: this.#incarnation,
      startedAt: new Date(this.#startedMs).toISOString(),
      uptimeSeconds: () => this.#uptimeSeconds(),
    };
    const verbs = {
      ...nodedVerbs(this.#registry, { read: () => this.#readProps(node) }, facts, this.#limits),
      ...topicVerbs(this.#topics, this.#limits),
    };
    this.#router = new Router({ node, limits: this.#limits, registry: this.#registry, verbs, send });
  }

  /** Counts messages that were dropped because their receiver's queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Listens on a Unix socket of mode 0600. Throws BusError PATH_TOO_LONG, DIRECTORY_REFUSED, ADDRESS_IN_USE, LISTEN_FAILED. */
  async listenUnix(path: string): Promise<void> {
    // Close an old listener whose file is gone before the new file exists, which it would remove. Its connections stay.
    const old = this.#byPath.get(path);
    if (old !== undefined && !old.isInPlace()) void old.close();
    this.#byPath.set(path, await this.#listen(() => listenUnix(path, this.#uid, this.#acceptor("unix"))));
  }

  /** False if the socket at this path was removed or replaced, so that new clients do not reach this broker. */
  isInPlace(path: string): boolean {
    return this.#byPath.get(path)?.isInPlace() === true;
  }

  /** Listens on loopback, where every account of the machine can connect. Resolves to the port; 0 chooses a free one. */
  async listenTcp(port: number): Promise<number> {
    const listener = await this.#listen(() => listenTcp(port, this.#acceptor("tcp")));
    return listener.port!;
  }

  /** Opens a connection inside this process, without a socket. */
  connectLocal(): Transport {
    if (this.#closed !== undefined) throw new BusError("STOPPED", "the broker is closed");
    const [ours, theirs] = localTransportPair();
    const peer = this.#join(new LocalLane(ours, this.#limits));
    ours.listen({
      message: (text, body) => this.#router.receive(peer, text, body),
      close: () => this.#leave(peer),
    });
    return theirs;
  }

  /** Closes every connection and listener. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async #listen(open: () => Promise<Listener>): Promise<Listener> {
    if (this.#closed !== undefined) throw new BusError("STOPPED", "the broker is closed");
    const listener = await open();
    this.#listeners.push(listener);
    return listener;
  }

  #acceptor(kind: "unix" | "tcp"): Accept {
    const accept = (webSocket: WebSocket, socket: Socket): void => {
      const lane = new SocketLane(kind, webSocket, socket, this.#limits);
      const peer = this.#join(lane);
      webSocket.on("message", (data: Buffer, isBinary) => {
        if (!isBinary) this.#router.receive(peer, data.toString("utf8"));
        else if (kind === "unix") lane.close();
      });
      webSocket.on("ping", (payload) => lane.answerPing(payload));
      // An error also closes the connection, which is handled by "close".
      webSocket.on("error", ignore);
      webSocket.on("close", () => this.#leave(peer));
    };
    return Object.assign(accept, {
      hasRoom: () => this.#closed === undefined && this.#peers.size < this.#limits.connectionsMax,
      refused: (reason: string) => this.#onEvent({ kind: "upgrade-refused", reason }),
    });
  }

  #join(lane: Lane): Peer {
    const seconds = Math.floor(this.#clock.now() / 1_000);
    const anonymousName = `anon-${randomHex(4)}-${seconds}`;
    const peer: Peer = { lane, anonymousName, registration: undefined, topics: new Set(), unanswered: 0 };
    this.#peers.add(peer);
    return peer;
  }

  #leave(peer: Peer): void {
    if (!this.#peers.delete(peer)) return;
    this.#router.leave(peer);
    this.#topics.leave(peer);
    this.#registry.release(peer, "disconnect");
    if (this.#peers.size === 0) this.#allGone?.();
  }

  #send(peer: Peer, message: OutboundMessage): boolean {
    const result = peer.lane.send(message);
    if (result === "full") {
      this.#dropped++;
      this.#onEvent({ kind: "dropped", peer: nameOf(peer) });
    }
    return result === "sent";
  }

  #servicesChanged(cause: string): void {
    if (this.#closed !== undefined) return;
    this.#onEvent({ kind: "services-changed", cause });
    const names = this.#registry.peers.map((peer) => peer.registration!.name);
    this.#propsChanged.change("services.registered", names, cause);
    this.#propsChanged.change("services.count", names.length, cause);
  }

  #publishOwn(topic: string, headers: Record<string, string>, body: string): void {
    const stamps = { broker_origin: "local", broker_registration: this.#incarnation, broker_service: "noded" };
    this.#topics.publish({ topic, headers: { ...headers, ...stamps }, body, retain: false, publisher: undefined });
  }

  #readProps(node: string): object {
    const registrations = this.#registry.peers.map((peer) => peer.registration!);
    return {
      node,
      uptime_s: this.#uptimeSeconds(),
      connections: this.#peers.size,
      dropped: this.#dropped,
      services: {
        count: registrations.length,
        registered: registrations.map(({ name }) => name),
        incarnations: Object.fromEntries(registrations.map(({ name, incarnation }) => [name, incarnation])),
      },
    };
  }

  #uptimeSeconds(): number {
    return Math.floor((this.#clock.now() - this.#startedMs) / 1_000);
  }

  async #shutDown(): Promise<void> {
    const gone = new Promise<void>((resolve) => (this.#allGone = resolve));
    const listeners = this.#listeners.map((listener) => listener.close());
    for (const peer of this.#peers) peer.lane.close();
    if (this.#peers.size === 0) this.#allGone!();
    const cancel = this.#clock.after(closeTimeoutMs, () => {
      for (const peer of this.#peers) peer.lane.destroy();
    });
    await gone;
    cancel();
    this.#retained.close();
    this.#propsChanged.close();
    await Promise.all(listeners);
  }
}

function ignore(): void {}
