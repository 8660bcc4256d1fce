// SPDX-License-Identifier: MIT OR Apache-2.0
import { attempt } from "../files/attempt.ts";

/**
 * Makes a JSON text that is no object the member of one, and leaves every other text as it is. Some MCP clients take a
 * tool's text that is JSON for the result's `structuredContent`, which must be an object, and refuse the result
 * otherwise (Gemini CLI 0.61.0).
 */
export function toObjectText(text: string, member = "value"): string {
  if (/^\s*\{/u.test(text)) return text;
  const isJson = attempt(() => JSON.parse(text) as unknown) !== undefined;
  return isJson ? `{${JSON.stringify(member)}:${text}}` : text;
}
