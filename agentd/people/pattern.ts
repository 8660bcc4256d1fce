// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent's regular expressions held against a person's texts. A few characters of pattern can keep a process busy for
// years, so they run with a time limit, in a context of their own.
import { createContext, Script } from "node:vm";
import type { Matches } from "./form-content.ts";

/** UTF-16 units. */
const patternMax = 1_024;
const textMax = 64 * 1024;

/** `ms`: for all that is asked of it. Undefined for a pattern that is none, is too long, or takes longer. */
export function matchesWithin(ms: number): Matches {
  const context = createContext({ pattern: "", text: "" });
  let left = ms;
  return (pattern, text) => {
    if (pattern.length > patternMax || text.length > textMax || left <= 0) return undefined;
    const began = performance.now();
    try {
      Object.assign(context, { pattern, text });
      return held.runInContext(context, { timeout: Math.ceil(left) }) === true;
    } catch {
      return undefined;
    } finally {
      left -= performance.now() - began;
    }
  };
}

/** Pattern and text are values of the context, and no part of what runs. Some patterns are none by the stricter rules. */
const held = new Script(`{
  let expression;
  try { expression = new RegExp(pattern, "u"); } catch { expression = new RegExp(pattern); }
  expression.test(text);
}`);
