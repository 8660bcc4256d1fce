// SPDX-License-Identifier: MIT OR Apache-2.0

import { Caller } from "./caller.ts";
import { dial } from "./dial.ts";

const answerTimeoutMs = 5_000;

/** The program that hosts a broker, by its own word; undefined where it says none. Throws BusError where it cannot be asked. */
export async function brokerHost(url: string): Promise<string | undefined> {
  const caller = new Caller(await dial(url));
  try {
    const { body } = await caller.call("noded", "noded.info", {}, { timeoutMs: answerTimeoutMs });
    return hostOf(body);
  } finally {
    await caller.leave();
  }
}

function hostOf(body: string): string | undefined {
  try {
    const info = JSON.parse(body) as { readonly noded?: { readonly meta?: { readonly hosted_by?: unknown } } } | null;
    const host = info?.noded?.meta?.hosted_by;
    return typeof host === "string" ? host : undefined;
  } catch {
    return undefined;
  }
}
