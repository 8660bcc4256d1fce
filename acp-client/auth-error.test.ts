// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { isAuthError } from "./auth-error.ts";

const google = (code: number, status: string, reason: string): string =>
  JSON.stringify({ error: { code, message: "No", status, details: [{ "@type": "ErrorInfo", reason }] } });

test.for([
  ["ACP's code", { code: -32000, message: "nope" }],
  ["HTTP's code in its place", { code: 401, message: "nope" }],
  ["Google's error as the message", { code: 500, message: google(401, "UNAUTHENTICATED", "CREDENTIALS_MISSING") }],
  [
    "Google's error of a wrong key, which has code 400",
    { code: 400, message: google(400, "INVALID", "API_KEY_INVALID") },
  ],
  [
    "an error within an error's text",
    { code: -32603, message: JSON.stringify({ error: { message: google(401, "", "") } }) },
  ],
  ["words before the JSON", { code: -32603, message: `API Error: ${google(401, "", "")}` }],
  ["Anthropic's type", { code: -32603, message: "x", data: { error: { type: "authentication_error" } } }],
  ["OpenAI's code", { code: -32603, message: "x", data: { details: { error: { code: "invalid_api_key" } } } }],
  ["a status in the data", { code: -32603, message: "x", data: { status: 401 } }],
  ["an agent's own flag", { code: -32603, message: "x", data: { authRequired: true } }],
] as const)("%s means that a login is needed", ([, error]) => {
  expect(isAuthError(error)).toBe(true);
});

test.for([
  ["words alone", { code: -32603, message: "Authentication required: 401 Unauthorized" }],
  ["another error of the API", { code: 429, message: google(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED") }],
  ["a refused permission", { code: 403, message: google(403, "PERMISSION_DENIED", "SERVICE_DISABLED") }],
  ["JSON that is none", { code: -32603, message: '{"error": {"code": 401' }],
  ["data without an end", { code: -32603, message: "x", data: nested(50) }],
] as const)("%s means none", ([, error]) => {
  expect(isAuthError(error)).toBe(false);
});

function nested(levels: number): unknown {
  return levels === 0 ? { status: 401 } : { error: nested(levels - 1) };
}
