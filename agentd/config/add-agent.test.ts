// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "smol-toml";
import { afterEach, beforeEach, expect, test } from "vitest";
import { textWithAgent } from "./add-agent.ts";
import { writeAgent } from "./write-agent.ts";

const mine = { name: "mine", command: ["my-agent", "--acp"] };
const lines = `[agents.mine]\ncommand = ["my-agent", "--acp"]\n`;

test.each([
  ["", lines],
  ["# only a comment", `# only a comment\n\n${lines}`],
  [`roots = ["~/src"]   # mine\n`, `roots = ["~/src"]   # mine\n\n${lines}`],
  ["max_sessions = 3\r\n", `max_sessions = 3\r\n\r\n${lines.replaceAll("\n", "\r\n")}`],
  [`[agents]\nother = { command = ["x"] }\n`, `[agents]\nother = { command = ["x"] }\n\n${lines}`],
  [`[policies.reading]\nallow_once = []\n`, `[policies.reading]\nallow_once = []\n\n${lines}`],
])("to %j the agent is added at the end, and nothing else changes", (text, expected) => {
  expect(textWithAgent(text, mine)).toBe(expected);
});

test.each([
  [
    `[agents.mine]\ncommand = ["old"]  # why\nenv = { A = "b" }\n`,
    `[agents.mine]\ncommand = ["my-agent", "--acp"]  # why\nenv = { A = "b" }\n`,
  ],
  [
    `[ agents . "mine" ] # x\ncommand = [\n  "old", # first\n  "two",\n]\n\n[policies.a]\n`,
    `[ agents . "mine" ] # x\ncommand = ["my-agent", "--acp"]\n\n[policies.a]\n`,
  ],
  [
    `[agents.mine]\nprotocol = 1\ncommand = ["[agents.mine]"]\n`,
    `[agents.mine]\nprotocol = 1\ncommand = ["my-agent", "--acp"]\n`,
  ],
])("the agent of that name in %j gets the new command and keeps the rest", (text, expected) => {
  expect(textWithAgent(text, mine)).toBe(expected);
});

test("variables are written, too, into a new table and into one that is there", () => {
  const added = { ...mine, env: { A: "1", B: "two words" } };
  const env = `env = { "A" = "1", "B" = "two words" }\n`;
  expect(textWithAgent("", added)).toBe(`${lines}${env}`);
  expect(textWithAgent(`[agents.mine]\ncommand = ["old"]\nenv = { C = "d" }\n`, added)).toBe(`${lines}${env}`);
  expect(parse(textWithAgent(`[agents.mine]\ncommand = ["old"]\n`, added) ?? "")).toEqual(parse(`${lines}${env}`));
});

test.each([`agents = { }\n`, `agents.mine.command = ["old"]\n`, `[agents]\nmine = { command = ["old"] }\n`, `a = [`])(
  "%j is left for a person to change",
  (text) => {
    expect(textWithAgent(text, mine)).toBeUndefined();
  },
);

test("a table of many lines is searched in little time", () => {
  const value = `[\n${'  "x",\n'.repeat(100)}]`;
  const table = `[agents.mine]\nenv = { C = "d" }\ncommand = ${value}  # why\nunset = ${value}\n`;
  const text = `${table}${"# a comment\n".repeat(10_000)}`;
  const began = performance.now();
  const changed = textWithAgent(text, { ...mine, env: { A: "1" } }) ?? "";
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(changed.startsWith(`[agents.mine]\nenv = { "A" = "1" }\ncommand = ["my-agent", "--acp"]  # why\nunset`)).toBe(
    true,
  );
});

test("whatever the words of the command are, the file says them", () => {
  const word = fc.string({ unit: "binary", maxLength: 20 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (command) => {
      const text = textWithAgent("max_sessions = 2\n", { name: "mine", command });
      expect(parse(text ?? "")).toEqual({ max_sessions: 2, agents: { mine: { command } } });
    }),
  );
});

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentd-add-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const source = () => ({
  file: join(home, "config/agentd/agentd.toml"),
  home,
  uid: process.getuid?.() ?? 0,
  bytesMax: 10_000,
});
const inFile = () => readFileSync(source().file, "utf8");

test("a file that agentd would refuse for its size is not written", () => {
  expect(writeAgent(source(), mine)).toMatchObject({ ok: true });
  const large = { name: "large", command: ["x".repeat(10_000)] };
  expect(writeAgent(source(), large)).toMatchObject({ ok: false, reason: expect.stringContaining("larger than") });
  expect(inFile()).toBe(lines);
});

test("a link whose file is missing is left", () => {
  writeAgent(source(), mine);
  rmSync(source().file);
  symlinkSync(join(home, "dotfiles/agentd.toml"), source().file);
  expect(writeAgent(source(), mine)).toMatchObject({ ok: false, reason: expect.stringContaining("is a link to") });
  expect(readdirSync(join(home, "config/agentd"))).toEqual(["agentd.toml"]);
});

test("a missing file is created for the user alone, and then keeps its mode", () => {
  expect(writeAgent(source(), mine)).toMatchObject({ ok: true });
  expect(inFile()).toBe(lines);
  expect(statSync(source().file).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "config")).mode & 0o777).toBe(0o700);
  chmodSync(source().file, 0o644);
  const written = writeAgent(source(), { name: "other", command: ["x"] });
  expect(written.ok && [...written.settings.agents.keys()]).toEqual(["mine", "other"]);
  expect(statSync(source().file).mode & 0o777).toBe(0o644);
  expect(readdirSync(join(home, "config/agentd"))).toEqual(["agentd.toml"]);
});

test("a link to a file elsewhere stays a link, and a byte order mark stays where it is", () => {
  writeAgent(source(), mine);
  const elsewhere = join(home, "dotfiles.toml");
  writeFileSync(elsewhere, "\uFEFFmax_sessions = 2\n", { mode: 0o600 });
  rmSync(source().file);
  symlinkSync(elsewhere, source().file);
  expect(writeAgent(source(), mine)).toMatchObject({ ok: true, settings: { maxSessions: 2 } });
  expect(readFileSync(elsewhere, "utf8")).toBe(`\uFEFFmax_sessions = 2\n\n${lines}`);
  expect(realpathSync(source().file)).toBe(elsewhere);
});

test("a file that agentd refuses is not touched", () => {
  writeAgent(source(), mine);
  for (const text of ["max_sessions = 0\n", "a = ["]) {
    writeFileSync(source().file, text);
    expect(writeAgent(source(), { name: "x", command: ["x"] })).toMatchObject({ ok: false });
    expect(inFile()).toBe(text);
  }
  writeFileSync(source().file, lines);
  chmodSync(source().file, 0o666);
  expect(writeAgent(source(), { name: "x", command: ["x"] })).toMatchObject({ ok: false });
  expect(inFile()).toBe(lines);
});
