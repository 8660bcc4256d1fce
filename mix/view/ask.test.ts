// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { NotifyAsk } from "../../agentd/vocabulary/notify.ts";
import { renderAsk, formatAskTable } from "./ask.ts";
import { plain, rendered } from "../../display/styled.ts";

const askedAt = Date.UTC(2026, 0, 1);
const ask: NotifyAsk = {
  ask: "k3wq7m2a",
  state: "open",
  source: "agent",
  label: null,
  group: null,
  ref: "s-1",
  title: "May it?",
  body: "",
  incomplete: false,
  options: [{ option: "yes", label: "Yes", kind: "allow_once" }],
  asked_at: new Date(askedAt).toISOString(),
  expires_at: new Date(askedAt + 600_000).toISOString(),
};

test.each([
  ["ten minutes left", ask, "10m", "from agent, 10m left"],
  ["no time limit", { ...ask, expires_at: null }, "no limit", "from agent, no limit"],
])("an ask with %s says so in the table and in its own view", (_, one, left, line) => {
  const now = askedAt + 20;
  expect(formatAskTable([one], now)[1]).toContain(`  ${left}  `);
  expect(renderAsk(one, now, plain).map(rendered)).toContain(`  ${line}`);
});

test("an incomplete ask is marked as incomplete", () => {
  const words = (one: NotifyAsk): string => renderAsk(one, askedAt, plain).map(rendered).join("\n");
  expect(words({ ...ask, incomplete: true })).toContain("incomplete: ");
  expect(words(ask)).not.toContain("incomplete: ");
});
