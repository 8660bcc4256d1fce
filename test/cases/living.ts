// SPDX-License-Identifier: MIT OR Apache-2.0
// Which processes live in a test's place. Each of them inherited the place's own home directory.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Place } from "../harness/place.ts";

export interface Living {
  readonly pid: number;
  readonly command: string;
}

/** Every process that was started in the place, wherever it stands in the tree by now. Linux only. */
export function livingIn({ home }: Pick<Place, "home">): Living[] {
  const found: Living[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    if (!contents(`/proc/${entry}/environ`).split("\0").includes(`HOME=${home}`)) continue;
    found.push({ pid: Number(entry), command: contents(`/proc/${entry}/cmdline`).replaceAll("\0", " ").trim() });
  }
  return found;
}

/** What still lives there at the deadline; empty as soon as all are gone. Looks, since nothing tells when others' children end. */
export async function leftIn(place: Pick<Place, "home">, deadlineMs = 10_000): Promise<Living[]> {
  return await untilNone(() => livingIn(place), deadlineMs);
}

/** Of these processes, those that still live at the deadline: for ones that kept nothing of their place's environment. */
export async function leftOf(pids: readonly number[], deadlineMs = 10_000): Promise<number[]> {
  return await untilNone(() => pids.filter(lives), deadlineMs);
}

async function untilNone<T>(look: () => T[], deadlineMs: number): Promise<T[]> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const left = look();
    if (left.length === 0 || performance.now() >= deadline) return left;
    await delay(lookAgainMs);
  }
}

const lookAgainMs = 20;

/** A zombie is gone: only its parent has not asked how it ended. */
function lives(pid: number): boolean {
  const state = /\) (\S)/.exec(contents(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== "Z";
}

function contents(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has ended meanwhile, or is somebody else's
  }
}
