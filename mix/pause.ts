// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Context } from "./process/context.ts";

export function pause({ after }: Pick<Context, "after">, ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve);
  });
}
