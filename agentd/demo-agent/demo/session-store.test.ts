// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStore, type SavedSession } from "./session-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "demo-sessions-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function saved(more: Partial<SavedSession> = {}): SavedSession {
  const options = { mode: "ask", pace: "fast", thoughts: true } as const;
  const at = "2026-12-01T00:00:00.000Z";
  return {
    id: randomUUID(),
    cwd: "/w",
    updatedAt: at,
    usedTokens: 0,
    options,
    alwaysAllowed: [],
    updates: [],
    ...more,
  };
}

test("of a long conversation the beginning is dropped", () => {
  const store = fileStore(directory);
  const updates = Array.from({ length: 40 }, (_, index) => ({
    sessionUpdate: "plan",
    index,
    text: "x".repeat(10_000),
  }));
  const session = saved({ updates });
  store.write(session);
  const kept = store.read(session.id)?.updates ?? [];
  expect(kept).toEqual(updates.slice(-kept.length));
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThan(30);
});

test("the oldest of more than 200 sessions are removed", () => {
  const store = fileStore(directory);
  const sessions = Array.from({ length: 202 }, () => saved());
  for (const [index, session] of sessions.entries()) {
    store.write(session);
    utimesSync(join(directory, `${session.id}.json`), index, index);
  }
  expect(readdirSync(directory)).toHaveLength(200);
  expect(sessions.slice(0, 2).map(({ id }) => store.read(id))).toEqual([undefined, undefined]);
  expect(store.read(sessions[2]?.id ?? "")).toEqual(sessions[2]);
});

test("a file that is not a session, and an id that leads elsewhere, are no session", () => {
  const store = fileStore(join(directory, "sessions"));
  expect(store.all()).toEqual([]);
  const session = saved();
  store.write(session);
  writeFileSync(join(directory, "sessions", `${randomUUID()}.json`), "{");
  writeFileSync(join(directory, "outside.json"), JSON.stringify(saved({ id: "../outside" })));
  expect(store.read("../outside")).toBeUndefined();
  expect(store.all()).toEqual([session]);
  store.remove("../outside");
  store.remove(session.id);
  expect(store.all()).toEqual([]);
  expect(readdirSync(directory)).toContain("outside.json");
});
