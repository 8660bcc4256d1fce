// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { newSession, type PendingRequest, type SessionState } from "../session/core/state.ts";
import { jsonBytes } from "../session/core/bounded-fields.ts";
import { listOpenRequests } from "./list-requests.ts";

const bytesMax = 256 * 1024;

function session(id: string, requests: readonly PendingRequest[]): SessionState {
  const born = { id, agent: "a", cwd: "/", additionalDirs: [], env: [], createdAt: "" };
  return { ...newSession(born), requests };
}

function asked(id: string, count: number, input: unknown, option = "yes"): SessionState {
  const toolCall = { tool_call_id: "t", title: "Write it", raw_input: input };
  const options = [{ option, name: "Yes", kind: "allow_once" }];
  const requests = Array.from({ length: count }, (_, index): PendingRequest => ({
    kind: "permission",
    request: `${id}-${index + 1}`,
    key: 1,
    askedAt: `2026-01-01T00:00:00.${String(index).padStart(3, "0")}Z`,
    expiresAt: null,
    callKey: "t",
    omitted: [],
    changed: [],
    edition: 0,
    options,
    toolCall,
  }));
  return session(id, requests);
}

function shown(...states: SessionState[]) {
  return listOpenRequests(states, () => true, bytesMax);
}

test("requests that fit are listed in full, oldest first over all sessions", () => {
  const { requests, more } = shown(asked("aaaaaaaaaaaa", 3, "x".repeat(5_000)), asked("bbbbbbbbbbbb", 3, "y"));
  expect(more).toBe(false);
  expect(requests.map(({ request }) => request.replace(/(.).*-/, "$1"))).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
  expect(requests.some((one) => "left_out" in one)).toBe(false);
});

test("long requests are listed without their longest members, and the others in full", () => {
  const { requests, more } = shown(asked("aaaaaaaaaaaa", 64, "x".repeat(50_000)), asked("bbbbbbbbbbbb", 4, "y"));
  expect(more).toBe(false);
  expect(jsonBytes(requests)).toBeLessThan(bytesMax);
  const [ofA, ofB] = ["a", "b"].map((first) => requests.filter(({ request }) => request.startsWith(first)));
  expect([ofA?.length, ofB?.length]).toEqual([64, 4]);
  expect(ofA?.[0]).toMatchObject({ tool_call: { title: "Write it" }, left_out: ["raw_input"] });
  expect(ofB?.[0]).toMatchObject({ tool_call: { raw_input: "y" } });
});

test("one session's requests that cannot be shortened do not displace others', and set `more`", () => {
  const { requests, more } = shown(asked("aaaaaaaaaaaa", 64, "x", "o".repeat(10_000)), asked("bbbbbbbbbbbb", 4, "y"));
  expect(more).toBe(true);
  expect(jsonBytes(requests)).toBeLessThan(bytesMax);
  expect(requests.filter(({ request }) => request.startsWith("b"))).toHaveLength(4);
  expect(requests.filter(({ request }) => request.startsWith("a")).length).toBeGreaterThan(0);
});

test("members that were too long to be held are named in `left_out` too", () => {
  const [open] = asked("aaaaaaaaaaaa", 1, "x").requests;
  if (open?.kind !== "permission") throw new Error("no permission");
  const { requests } = shown(session("aaaaaaaaaaaa", [{ ...open, omitted: ["content"] }]));
  expect(requests).toMatchObject([{ left_out: ["content"] }]);
});

test("a request is measured once, when it is first listed, and not at each listing", () => {
  let written = 0;
  const input = {
    toJSON: () => {
      written += 1;
      return "x".repeat(50_000);
    },
  };
  const states = [asked("aaaaaaaaaaaa", 20, input), asked("bbbbbbbbbbbb", 20, input)];
  shown(...states);
  const before = written;
  for (let times = 0; times < 3; times += 1) {
    expect(shown(...states).requests[0]?.left_out).toEqual(["raw_input"]);
  }
  expect(written).toBe(before);
});
