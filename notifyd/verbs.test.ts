// SPDX-License-Identifier: MIT OR Apache-2.0
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Request } from "../bus-client/index.ts";
import { temporaryDirectory } from "../bus-client/testing/temporary-directory.ts";
import { notifyLimits as max } from "../agentd/vocabulary/index.ts";
import { Asks } from "./asks.ts";
import { limits } from "./limits.ts";
import { openDatabase } from "./open-database.ts";
import { notifyVerbs } from "./verbs.ts";

const yes = { option: "yes", label: "Yes", kind: "allow_once" };
const ask = { title: "May it?", options: [yes], ref: "r-1" };
const long = (length: number): string => "x".repeat(length + 1);

test.each<[string, string, object]>([
  ["ask", "title", { ...ask, title: long(max.titleMax) }],
  ["ask", "body", { ...ask, body: long(max.bodyMax) }],
  ["ask", "ref", { ...ask, ref: long(max.refMax) }],
  ["ask", "source", { ...ask, source: long(max.sourceMax) }],
  ["ask", "group", { ...ask, group: long(max.groupMax) }],
  ["ask", "expires_at", { ...ask, expires_at: long(1_000_000) }],
  [
    "ask",
    "options",
    { ...ask, options: Array.from({ length: max.optionsMax + 1 }, (_, n) => ({ ...yes, option: `${n}` })) },
  ],
  ["ask", "options", { ...ask, options: [{ ...yes, option: long(max.optionMax) }] }],
  ["ask", "options", { ...ask, options: [{ ...yes, label: long(max.labelMax) }] }],
  ["ask", "options", { ...ask, options: [{ ...yes, kind: long(max.kindMax) }] }],
  ["ask", "more", { ...ask, more: long(1_000_000) }],
  ["get", "ask", { ask: long(64) }],
  ["withdraw", "reason", { ask: "a", reason: long(max.reasonMax) }],
  ["answer", "ask", { ask: long(64), option: "yes" }],
  ["answer", "option", { ask: "a", option: long(max.optionMax) }],
  ["answer", "via", { ask: "a", option: "yes", via: long(max.viaMax) }],
  ["tell", "title", { title: long(max.titleMax) }],
  ["tell", "body", { title: "x", body: long(max.bodyMax) }],
  ["list", "after", { after: long(64) }],
  ["list", "source", { source: long(max.sourceMax) }],
  ["list", "label", { label: long(max.sourceMax) }],
])("%s refuses %s beyond its limit, says so in short, and keeps nothing", async (verb, field, args) => {
  const { call, asks } = opened();
  const { rc, body } = await call(verb, args);
  expect(rc).toBe(10);
  const refusal = JSON.parse(body) as { error_code: string; field: string };
  expect(refusal.error_code).toBe("ARGUMENT");
  expect(refusal.field.split(".")[0]).toBe(field);
  expect(body.length).toBeLessThan(4_096);
  expect(asks.list({}).asks).toEqual([]);
});

test("an ask for which the open ones leave no space is refused as BUSY", async () => {
  const { call } = opened();
  expect((await call("ask", ask)).rc).toBe(0);
  const refusal = await call("ask", { ...ask, ref: "r-2", body: "y".repeat(2_000) });
  expect(JSON.parse(refusal.body)).toMatchObject({ error_code: "BUSY" });
});

function opened() {
  const database = openDatabase(join(temporaryDirectory(), "asks.db"));
  onTestFinished(() => void database.close());
  const asks = new Asks({ database, limits: { ...limits, openBytesMax: 2_000 }, now: () => 0 });
  const verbs = notifyVerbs({
    asks,
    now: () => 0,
    onAsked: () => {},
    onEnded: () => {},
    tell: () => true,
    onFault: (error) => expect.unreachable(String(error)),
  });
  const call = async (name: string, args: object) => {
    const verb = verbs.find((one) => one.name === `notify.${name}`);
    const answer = await verb?.handler({ verb: name, args, from: "agent", origin: "local" } as unknown as Request);
    return answer ?? expect.unreachable(`${name} did not answer`);
  };
  return { call, asks };
}
