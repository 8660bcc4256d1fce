// SPDX-License-Identifier: MIT OR Apache-2.0

import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Peer } from "./peer.ts";

export type RegistrationError = "missing" | "malformed" | "reserved" | "taken";

const namePattern = /^[a-z][a-z0-9-]{1,30}$/;
const sessionPattern = /^[tc][a-z0-9]{1,7}-[a-z2-7]{22}$/;

/** Maps registered names to connections. */
export class Registry {
  readonly #clock: Clock;
  readonly #holders = new Map<string, Peer>();
  /** Called after each change with its cause: `register:x`, `deregister:x` or `disconnect:x`. */
  readonly #changed: (cause: string) => void;

  constructor(clock: Clock, changed: (cause: string) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get count(): number {
    return this.#holders.size;
  }

  find(name: string): Peer | undefined {
    return this.#holders.get(name);
  }

  /** The registered connections, sorted by name. */
  get peers(): Peer[] {
    return [...this.#holders.keys()].sort().map((name) => this.#holders.get(name)!);
  }

  /** A connection may register again. A new name replaces its old one. Returns undefined on success. */
  register(peer: Peer, name: string | undefined, provenance: Record<string, unknown>): RegistrationError | undefined {
    if (name === undefined) return "missing";
    if (isReserved(name)) return "reserved";
    if (!namePattern.test(name)) return "malformed";
    const holder = this.#holders.get(name);
    if (holder !== undefined && holder !== peer) return "taken";
    const before = peer.registration;
    if (before !== undefined && before.name !== name) this.release(peer, "deregister");
    peer.registration = {
      name,
      incarnation: before?.name === name ? before.incarnation : randomHex(16),
      registeredAt: new Date(this.#clock.now()).toISOString(),
      provenance,
    };
    this.#holders.set(name, peer);
    if (before?.name !== name) this.#changed(`register:${name}`);
    return undefined;
  }

  /** Releases the connection's name and returns it, or undefined if it had none. */
  release(peer: Peer, why: "deregister" | "disconnect"): string | undefined {
    const name = peer.registration?.name;
    if (name === undefined) return undefined;
    peer.registration = undefined;
    this.#holders.delete(name);
    this.#changed(`${why}:${name}`);
    return name;
  }
}

/** Returns two lower-case digits for each byte. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

function isReserved(name: string): boolean {
  return name === "noded" || name.startsWith("noded-") || sessionPattern.test(name);
}
