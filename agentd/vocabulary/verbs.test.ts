// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { callLimits as limits } from "./limits.ts";
import { verbArguments } from "./verbs.ts";

const block = { type: "text", text: "x" };
const prompts = (prompt: unknown) => verbArguments["agent.session.prompt"].safeParse({ session: "abc", prompt });

test("a prompt has limits on its blocks and on its bytes as JSON", () => {
  const overhead = 2;
  expect(prompts("x".repeat(limits.promptBytesMax - overhead)).success).toBe(true);
  expect(prompts("é".repeat(limits.promptBytesMax / 2)).error?.issues[0]?.message).toContain(
    `${limits.promptBytesMax} bytes`,
  );
  // A line end takes two bytes in JSON.
  expect(prompts(`x${"\n".repeat(limits.promptBytesMax / 2)}`).success).toBe(false);
  expect(prompts(Array.from({ length: limits.promptBlocksMax }, () => block)).success).toBe(true);
  expect(prompts(Array.from({ length: limits.promptBlocksMax + 1 }, () => block)).success).toBe(false);
});

test("a start has limits on its directories, servers and variables", () => {
  const starts = (args: object) => verbArguments["agent.session.start"].safeParse({ agent: "a", ...args }).success;
  const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);
  for (const [field, max, one] of [
    ["additional_dirs", limits.additionalDirectoriesMax, "/d"],
    ["mcp_servers", limits.mcpServersMax, { name: "m", command: "c" }],
    ["env", limits.passedEnvironmentMax, "NAME"],
  ] as const) {
    expect(starts({ [field]: many(max, one) })).toBe(true);
    expect(starts({ [field]: many(max + 1, one) })).toBe(false);
  }
});

test("a wait, a page, a piece and a secret have the limits of callLimits", () => {
  const fits = (verb: keyof typeof verbArguments, args: object) => verbArguments[verb].safeParse(args).success;
  for (const [verb, args, field, max] of [
    ["agent.session.wait", { session: "a", until: "idle" }, "timeout_ms", limits.waitTimeoutMsMax],
    ["agent.session.list", {}, "limit", limits.sessionsPerPageMax],
    ["agent.session.log", { session: "a" }, "limit", limits.entriesPerPageMax],
    ["agent.session.log", { session: "a", entry: 1 }, "bytes", limits.pieceBytesMax],
    ["agent.log.stats", {}, "top", limits.fullestSessionsMax],
    ["agent.log.redact", { sha256: "0".repeat(64) }, "length", limits.secretBytesMax],
  ] as const) {
    expect(fits(verb, { ...args, [field]: max })).toBe(true);
    expect(fits(verb, { ...args, [field]: max + 1 })).toBe(false);
  }
  expect(fits("agent.log.redact", { sha256: "0".repeat(64), length: limits.secretBytesMin - 1 })).toBe(false);
});

test("an option's name and its value have a length limit", () => {
  const longest = "x".repeat(limits.optionCharactersMax);
  const { "agent.session.set_config": set, "agent.session.start": start } = verbArguments;
  expect(set.safeParse({ session: "s", option: longest, value: longest }).success).toBe(true);
  expect(set.safeParse({ session: "s", option: `${longest}x`, value: "v" }).success).toBe(false);
  expect(set.safeParse({ session: "s", option: "o", value: `${longest}x` }).success).toBe(false);
  expect(start.safeParse({ agent: "a", config: { [longest]: longest } }).success).toBe(true);
  expect(start.safeParse({ agent: "a", config: { [`${longest}x`]: "v" } }).success).toBe(false);
});

test("a lease offers what there is to offer and nothing else, and a citizen has to be named", () => {
  const attach = (args: object) => verbArguments["agent.session.attach"].safeParse({ session: "s", ...args });
  expect(attach({ citizen: "acp-a" }).data).toEqual({
    session: "s",
    citizen: "acp-a",
    offers: [],
    keep_running: false,
  });
  expect(attach({ citizen: "acp-a", offers: ["fs.read", "fs.write", "terminal"] }).success).toBe(true);
  expect(attach({ citizen: "acp-a", offers: ["fs.delete"] }).success).toBe(false);
  expect(attach({}).success).toBe(false);
  // They take no command id, since there is no receipt.
  expect(attach({ citizen: "acp-a", command_id: "c" }).success).toBe(false);
});
