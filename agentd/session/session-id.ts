// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomId } from "../random-id.ts";

export function newSessionId(random: (bytes: number) => Uint8Array, isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = randomId(random);
    if (!isTaken(id)) return id;
  }
}

/** Returns the session id with which a request's id begins. */
export function sessionOfRequest(request: string): string | undefined {
  return /^([a-z2-7]{12})-[1-9][0-9]{0,8}$/.exec(request)?.[1];
}
