// SPDX-License-Identifier: MIT OR Apache-2.0
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RawJson } from "../../json/raw-json.ts";
import type { EntryContent } from "../vocabulary/index.ts";
import type { Log } from "./open.ts";
import type { RedactionResult, RedactionOptions } from "./redact.ts";
import {
  appendTo,
  answeredCommand,
  startingState,
  closedState,
  filesWith,
  secretOf,
  runToEnd,
  verified,
} from "./testing/maintained-log.ts";
import { alpha, bravo, everything, fill, message, otherConnection, temporaryLog } from "./testing/temporary-log.ts";

const secret = "sk-live-0123456789";

/** Redacts with an entry of the instance, as the verb does. */
function redact(log: Log, hidden: string, options: RedactionOptions = {}): RedactionResult {
  const by = { session: "instance", seq: appendTo(log, "instance", { kind: "info", title: "redaction" }) };
  return runToEnd(log.maintenance.redact(secretOf(hidden), { by, ...options }));
}

/** Returns the texts of the session's messages. */
function texts(log: Log, session: string): string[] {
  return everything(log, session).flatMap((entry) => (entry["content"] as { text: string } | undefined)?.text ?? []);
}

test("a redacted secret is replaced throughout the log, and is in no byte of the files", async () => {
  const log = temporaryLog();
  appendTo(log, alpha, { ...startingState, name: `the ${secret}`, cwd: `/home/${secret}/src` } as EntryContent);
  const tool: EntryContent = {
    kind: "tool_call",
    tool_call_id: "t1",
    status: "completed",
    content: [{ type: "content", content: { type: "text", text: `TOKEN=${secret}\n${secret}` } }],
    raw_input: { command: ["export", secret], [`name ${secret}`]: 1 },
  };
  appendTo(log, alpha, message("nothing"), tool, { kind: "info", title: secret });
  answeredCommand(log, alpha, { scope: alpha, commandId: "one", body: JSON.stringify({ message: `no ${secret}` }) });
  log.append([
    { session: alpha, expectSeq: 6, entries: [closedState], literals: JSON.stringify({ m: { env: secret } }) },
  ]);
  fill(log, bravo, 2);
  const before = everything(log, alpha);
  const others = everything(log, bravo);
  expect(filesWith(log, secret)).not.toEqual([]);

  const counts = { entries: 3, receipts: 1, literals: 1, sessions: 1, copies: [], walTruncated: true };
  expect(runToEnd(log.maintenance.redact(secretOf(secret)))).toEqual(counts);
  expect(everything(log, alpha)).toEqual(before);
  expect(redact(log, secret)).toEqual(counts);
  expect(filesWith(log, secret)).toEqual([]);
  const gone = JSON.parse(JSON.stringify(before).replaceAll(secret, "[redacted]")) as unknown;
  expect(everything(log, alpha)).toEqual(gone);
  expect(everything(log, bravo)).toEqual(others);
  expect(log.receipts.find(alpha, "one")?.answer?.body).toBe('{"message":"no [redacted]"}');
  expect(log.literals(alpha)).toBe('{"m":{"env":"[redacted]"}}');
  expect(log.sessions.row(alpha)).toMatchObject({
    name: "the [redacted]",
    cwd: "/home/[redacted]/src",
    latest: { info: { title: "[redacted]" } },
  });
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], redacted_commits: 2 });
  expect(redact(log, secret)).toEqual({ ...counts, entries: 0, receipts: 0, literals: 0, sessions: 0 });
  fill(log, alpha, 1);
});

test("the seal of a redacted commit loses its salt, keeps its digest and names the redaction's entry; others stay", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  appendTo(log, alpha, message("before"), message(`a ${secret}`), message("after"));
  fill(log, alpha, 1);
  const db = otherConnection(log.file);
  const seals = () => db.prepare("SELECT * FROM seal WHERE first >> 30 = 2").all() as Record<string, unknown>[];
  const before = seals();
  redact(log, secret);
  const by = 2 ** 30 + 1;
  expect(seals()).toEqual([before[0], { ...before[1], salt: null, redacted_by: by }, before[2]]);
  expect(db.prepare("SELECT count(*) FROM permit").pluck().get()).toBe(0);
});

test("a secret that is split over chunks is removed from each of them, whatever came in between", async () => {
  const log = temporaryLog();
  const said = (text: string, role: "agent" | "thought", message_id: string): EntryContent => ({
    kind: "message",
    role,
    message_id,
    content: { type: "text", text },
    append: true,
  });
  appendTo(
    log,
    alpha,
    said(`one ${secret} two sk-`, "agent", "m"),
    said("live-", "thought", "m"),
    said("live-", "agent", "m"),
    { kind: "usage", used: 1, size: 2 },
    said("0123", "agent", "m"),
    said("4", "agent", "other"),
    said("456789 three sk-live", "agent", "m"),
  );
  appendTo(log, alpha, said("-0123456789.", "agent", "m"));
  expect(redact(log, secret)).toMatchObject({ entries: 5 });
  const left = everything(log, alpha).map((entry) => (entry["content"] as { text: string } | undefined)?.text);
  expect(left).toEqual([
    "one [redacted] two [redacted]",
    "live-",
    "[redacted]",
    undefined,
    "[redacted]",
    "4",
    "[redacted] three [redacted]",
    "[redacted].",
  ]);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], redacted_commits: 2 });
});

test("a secret that spans a tool's output and its growth is removed from both", async () => {
  const log = temporaryLog();
  const call = (id: string, more: object): EntryContent => ({ kind: "tool_call", tool_call_id: id, ...more });
  const said = (words: string) => [{ type: "content", content: { type: "text", text: words } }];
  const at = ["content", 0, "content", "text"];
  appendTo(
    log,
    alpha,
    call("t", { content: said("one sk-"), raw_output: { sk: [1, "sk-live"], content: "x" } }),
    call("u", { content: said("sk-") }),
    call("t", { grow: [{ path: at, at: 7, text: "live-" }] }),
    call("t", {
      grow: [
        { path: at, at: 12, text: "0123456789 two sk-" },
        { path: ["raw_output", "sk", 1], at: 7, text: "-0123456789!" },
      ],
    }),
    // Resent content does not continue the end of the old text.
    call("t", { content: said("live-0123456789") }),
    call("u", { status: "completed" }),
    call("u", { grow: [{ path: at, at: 3, text: "live-0123456789" }] }),
  );
  const before = everything(log, alpha);
  expect(redact(log, secret)).toMatchObject({ entries: 3 });
  const left = everything(log, alpha);
  expect(left).toMatchObject([
    { content: said("one [redacted]"), raw_output: { sk: [1, "[redacted]"], content: "x" } },
    { content: said("sk-") },
    { grow: [{ path: at, at: 7, text: "[redacted]" }] },
    { grow: [{ text: "[redacted] two sk-" }, { path: ["raw_output", "sk", 1], text: "[redacted]!" }] },
    {},
    {},
    {},
  ]);
  expect(left.slice(4)).toEqual(before.slice(4));
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
});

test("in the path of a growth, only names that the agent chose are replaced", () => {
  const log = temporaryLog();
  const grow = [
    { path: ["content", 0, "content", "text"], at: 1, text: "content" },
    { path: ["raw_output", "content", 0], at: 1, text: "raw_output" },
  ];
  appendTo(log, alpha, { kind: "tool_call", tool_call_id: "t", raw_output: { content: ["x"] }, grow });
  for (const word of ["content", "raw_output"]) redact(log, word);
  expect(everything(log, alpha)).toMatchObject([
    {
      raw_output: { "[redacted]": ["x"] },
      grow: [
        { path: ["content", 0, "content", "text"], at: 1, text: "[redacted]" },
        { path: ["raw_output", "[redacted]", 0], at: 1, text: "[redacted]" },
      ],
    },
  ]);
});

test("however a text is divided into chunks and commits, a redaction leaves no secret and removes nothing else", () => {
  const hidden = fc.constantFrom("aab\u0000", "é😀x", '"\\n\n', "abcabcab");
  const noise = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "😀", '"', "\\", "n"), maxLength: 12 });
  const property = fc.property(
    hidden,
    fc.array(noise, { maxLength: 4 }),
    fc.infiniteStream(fc.nat({ max: 6 })),
    (word, noises, sizes) => {
      const whole = noises.join(word);
      const log = temporaryLog();
      const chunks: string[] = [];
      for (let at = 0; at < whole.length;) {
        const size = 1 + sizes.next().value!;
        chunks.push(whole.slice(at, at + size));
        at += size;
      }
      for (const chunk of chunks) fill(log, alpha, 1, () => chunk);
      redact(log, word);
      expect(texts(log, alpha).join("").replaceAll("[redacted]", "|").replace(/\|+/g, "|")).toBe(
        whole.replaceAll(word, "|").replace(/\|+/g, "|"),
      );
      log.close();
    },
  );
  fc.assert(property, { numRuns: 25 });
});

test("a secret that is written with escapes is found, in JSON and in JSON within a string", () => {
  const key = '-----BEGIN "KEY"-----\nab\\c\u0001';
  const log = temporaryLog();
  appendTo(
    log,
    alpha,
    message(`as it is ${key}`),
    message(`within ${JSON.stringify({ private_key: key })}, and ${key}.`),
  );
  expect(redact(log, key)).toMatchObject({ entries: 2 });
  expect(texts(log, alpha)).toEqual(["as it is [redacted]", 'within {"private_key":"[redacted]"}, and [redacted].']);
});

test("a secret in a value that is logged as it was written is found in every spelling, and nothing else changes", () => {
  const log = temporaryLog();
  const spelled = (text: string): string =>
    String.raw`{ "k":"${text}","k" : 1.0, "x\u002fy":["\ud800","a ${text}"] , "${text}":-0}`;
  const written = spelled(String.raw`sk-l\u0069ve-0123\u003456789`);
  appendTo(log, alpha, { kind: "tool_call", tool_call_id: "t", raw_input: new RawJson(written) });
  expect(redact(log, secret)).toMatchObject({ entries: 1 });
  expect(log.entries.body(alpha, 1)).toContain(`"raw_input":${spelled("[redacted]")}}`);
});

test("heads, verbs, command ids and the vocabulary's names stay, even if they contain the secret", async () => {
  const log = temporaryLog();
  appendTo(log, alpha, startingState, message("message m-1"));
  answeredCommand(log, alpha, { scope: alpha, commandId: "the-command-id", body: `{"session":"${alpha}"}` });
  const before = everything(log, alpha);
  for (const word of [alpha, log.id, "message", "the-command-id", "agent.session.prompt"]) redact(log, word);
  const after = everything(log, alpha);
  expect(after[1]).toEqual({ ...before[1], content: { type: "text", text: "[redacted] m-1" } });
  expect([after[0], ...after.slice(2)]).toEqual([before[0], ...before.slice(2)]);
  expect(log.receipts.find(alpha, "the-command-id")?.answer?.body).toBe(`{"session":"${alpha}"}`);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [] });
});

test("a redaction of one session leaves the secret in another", () => {
  const log = temporaryLog();
  for (const session of [alpha, bravo]) {
    fill(log, session, 2, () => secret);
    answeredCommand(log, session, { scope: "instance", commandId: session, body: `{"message":"${secret}"}` });
  }
  expect(redact(log, secret, { session: bravo })).toMatchObject({ entries: 2, receipts: 1 });
  expect(log.entries.body(alpha, 1)).toContain(secret);
  expect(log.receipts.find("instance", alpha)?.answer?.body).toContain(secret);
  expect(log.receipts.find("instance", bravo)?.answer?.body).toBe('{"message":"[redacted]"}');
  expect(log.entries.body(bravo, 2)).not.toContain(secret);
});

test("a redaction deletes the copies with an older schema, and a dry run does not", () => {
  const log = temporaryLog();
  fill(log, alpha, 1);
  const copies = [`${log.file}.schema-1`, `${log.file}.schema-2.partial`];
  for (const copy of copies) copyFileSync(log.file, copy);
  writeFileSync(`${log.file}.schema-mine`, "");
  const names = ["log.db.schema-1", "log.db.schema-2.partial"];
  expect(runToEnd(log.maintenance.redact(secretOf(secret))).copies).toEqual(names);
  expect(copies.map((copy) => existsSync(copy))).toEqual([true, true]);
  expect(redact(log, secret).copies).toEqual(names);
  expect([...copies, `${log.file}.schema-mine`].map((copy) => existsSync(copy))).toEqual([false, false, true]);
});

test("the log can be appended to and read between the steps of a redaction, which does not chase new entries", () => {
  const log = temporaryLog();
  fill(log, alpha, 600, (index) => `${index} ${secret}`);
  const by = { session: "instance", seq: appendTo(log, "instance", { kind: "info" }) };
  let steps = 0;
  const found = runToEnd(log.maintenance.redact(secretOf(secret), { by }), () => {
    fill(log, alpha, 1, () => secret);
    steps += 1;
    expect(everything(log, alpha)).toHaveLength(600 + steps);
  });
  expect(steps).toBeGreaterThan(2);
  expect(found.entries).toBeGreaterThanOrEqual(600);
  expect(
    texts(log, alpha)
      .slice(0, 600)
      .filter((text) => text.includes(secret)),
  ).toEqual([]);
  expect(texts(log, alpha).at(-1)).toBe(secret);
});

test("an interrupted redaction leaves a sound log, and the next one finishes it", async () => {
  const log = temporaryLog();
  fill(log, alpha, 600, (index) => `${index} ${secret}`);
  const by = { session: "instance", seq: appendTo(log, "instance", { kind: "info" }) };
  const steps = log.maintenance.redact(secretOf(secret), { by });
  // The instance is searched first.
  steps.next();
  steps.next();
  steps.return(undefined as never);
  const left = texts(log, alpha).filter((text) => text.includes(secret)).length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(600);
  expect(await verified(log)).toMatchObject({ ok: true, problems: [], redacted_commits: 1 });
  expect(redact(log, secret).entries).toBe(left);
  expect(filesWith(log, secret)).toEqual([]);
});

test("a redaction with an unknown entry or of an unknown session is refused", () => {
  const log = temporaryLog();
  fill(log, alpha, 1, () => secret);
  const redactBy = (options: RedactionOptions) => log.maintenance.redact(secretOf(secret), options).next();
  expect(() => redactBy({ by: { session: alpha, seq: 2 } })).toThrow("no entry 2");
  expect(() => redactBy({ session: bravo })).toThrow(`no session ${bravo}`);
  expect(texts(log, alpha)).toEqual([secret]);
});
