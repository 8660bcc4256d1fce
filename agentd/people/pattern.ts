// SPDX-License-Identifier: MIT OR Apache-2.0
// Matches a person's text against an agent's regular expression. A short pattern can backtrack for years, so it runs
// with a time limit, in a context of its own.
import { createContext, Script } from "node:vm";
import type { Matches } from "./form-content.ts";

/** UTF-16 units. */
const patternMax = 1_024;
const textMax = 64 * 1024;

/**
 * `ms` limits all calls of the returned function together. It returns undefined for an invalid pattern, for a pattern
 * or text that is too long, and when the time is used up.
 */
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

/** Gets pattern and text as values, not as code. Patterns that are invalid with the `u` flag are tried without it. */
const held = new Script(`{
  let expression;
  try { expression = new RegExp(pattern, "u"); } catch { expression = new RegExp(pattern); }
  expression.test(text);
}`);
