// SPDX-License-Identifier: MIT OR Apache-2.0
// Who is on the Bus, as its broker lists them.

/** Names alone with older brokers. What a service says of itself is its own word. */
export interface RegisteredService {
  readonly name: string;
  readonly binary?: string;
  readonly version?: string;
  readonly pid?: number;
  readonly started_at?: string;
  readonly meta?: { readonly registration_incarnation?: string; readonly build?: string };
}

/** What `noded.list` has answered, parsed; undefined where it is no list. What has no name in it is left out. */
export function registeredServices(listed: unknown): readonly RegisteredService[] | undefined {
  if (!Array.isArray(listed)) return undefined;
  return listed.map((one: unknown) => (typeof one === "string" ? { name: one } : one)).filter(isService);
}

function isService(one: unknown): one is RegisteredService {
  return typeof one === "object" && one !== null && "name" in one && typeof one.name === "string";
}
