// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PolicySettings, type ToolKind, toolKinds } from "../../../config/settings.ts";
import { evaluatePolicy, type PolicyDecision, type PolicyRequest } from "./policy.ts";

const place = (path: string, real: string | undefined = path) => ({ path, real });
const once = { option: "yes", kind: "allow_once" };
const no = { option: "no", kind: "reject_once" };

function rules(...kinds: ToolKind[]): PolicySettings {
  return { allowOnce: [{ kinds, within: "session" }] };
}

type Asked = Partial<Omit<PolicyRequest, "evidence">> & Partial<PolicyRequest["evidence"]>;

function asked(policy: PolicySettings, question: Asked = {}): PolicyDecision {
  const { kind = "read", options = [once, no], sessionDirectories = ["/ws"], ...evidence } = question;
  const found = {
    kindsBefore: [],
    locations: [place("/ws/a")],
    diffs: [],
    incomplete: false,
    tooMany: false,
    ruleDirectories: new Map(),
  };
  return evaluatePolicy(policy, {
    kind: "kind" in question ? question.kind : kind,
    options,
    sessionDirectories,
    evidence: { ...found, ...evidence },
  });
}

const asks = (policy: PolicySettings, question: Asked = {}): boolean => "ask" in asked(policy, question);

test("a call of a named kind within the session's directories is allowed once, with its rule", () => {
  expect(asked(rules("search", "read"))).toEqual({
    answer: "yes",
    rule: 1,
    why: "rule 1: read within the session's directories",
  });
});

test("a kind that no rule names is left to a person", () => {
  expect(asked(rules("search"))).toEqual({ ask: "no rule names the tool kind read" });
});

test.each([
  ["none allows once", [{ option: "a", kind: "allow_always" }, no]],
  ["several allow once", [once, { option: "blue", kind: "allow_once" }, no]],
  ["its id stands for two options", [once, { option: "yes", kind: "allow_always" }]],
  ["there is none", []],
])("a policy chooses no option when %s", (_, options) => {
  expect(asks(rules("read"), { options })).toBe(true);
});

test.each<[string, Asked]>([
  ["has none", { kind: undefined }],
  ["is null", { kind: null }],
  ["is not known", { kind: "peek" }],
  ["is empty", { kind: "" }],
  ["switches a mode", { kind: "switch_mode" }],
  ["was another before", { kindsBefore: ["edit"] }],
  ["was two before", { kind: undefined, kindsBefore: ["read", "edit"] }],
  ["is only ACP's default", { kind: undefined, kindsBefore: ["other"] }],
])("a person is asked when the call's kind %s, whatever the policy names", (_, question) => {
  expect(asks(rules(...toolKinds), question)).toBe(true);
});

test("a request without a kind has the announced one", () => {
  expect(asked(rules("read"), { kind: null, kindsBefore: ["read"] })).toMatchObject({ answer: "yes" });
  expect(asked(rules("other"), { kind: "other", kindsBefore: ["other"] })).toMatchObject({ answer: "yes" });
});

test.each<[string, Asked]>([
  ["there is no location", { locations: [] }],
  ["one lies outside", { locations: [place("/ws/a"), place("/etc/passwd")] }],
  ["one leads outside", { locations: [place("/ws/link", "/etc/passwd")] }],
  ["one cannot be told", { locations: [place("/ws/a"), { path: "../b", real: undefined }] }],
  ["one lies beside, with a longer name", { locations: [place("/ws-evil/a")] }],
  ["a diff is none of them", { diffs: [place("/ws/b")] }],
  ["a diff's place cannot be told", { diffs: [{ path: "b", real: undefined }] }],
  ["there are too many", { tooMany: true }],
  ["some could not be read", { incomplete: true }],
  ["the session has no directory", { sessionDirectories: [] }],
])("a person is asked when, of the call's paths, %s", (_, question) => {
  expect(asks(rules("read"), question)).toBe(true);
});

test("a diff whose file is among the locations is checked with them", () => {
  const places = { locations: [place("/ws/link", "/ws/a")], diffs: [place("/ws/a")] };
  expect(asked(rules("edit"), { kind: "edit", ...places })).toMatchObject({ answer: "yes" });
});

test("a rule's directory is compared by its real path, and one rule must hold for all locations", () => {
  const policy: PolicySettings = {
    allowOnce: [
      { kinds: ["read"], within: "session" },
      { kinds: ["read"], within: { directory: "/docs" } },
      { kinds: ["read"], within: { directory: "/gone" } },
    ],
  };
  const ruleDirectories = new Map([["/docs", "/mnt/docs"]]);
  const within = (...paths: string[]) =>
    asked(policy, { ruleDirectories, locations: paths.map((path) => place(path)) });
  expect(within("/mnt/docs/a")).toMatchObject({ rule: 2, why: "rule 2: read within /docs" });
  expect("ask" in within("/docs/a")).toBe(true);
  expect("ask" in within("/gone/a")).toBe(true);
  expect("ask" in within("/ws/a", "/mnt/docs/a")).toBe(true);
});

test("a policy answers with the only allow_once option or not at all", () => {
  const kind = fc.constantFrom<string | null | undefined>(...toolKinds, null, undefined, "peek", "");
  const optionKind = fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always", "allow", "");
  const option = fc.record({ option: fc.constantFrom("a", "b", "c", "d"), kind: optionKind });
  const path = fc.constantFrom("/ws/a", "/ws/b", "/other/a", undefined);
  const paths = fc.array(
    path.map((real) => ({ path: "/ws/a", real })),
    { maxLength: 3 },
  );
  const question = fc.record({
    kind,
    options: fc.array(option, { maxLength: 5 }),
    locations: paths,
    diffs: paths,
    kindsBefore: fc.uniqueArray(fc.constantFrom<string>(...toolKinds), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...toolKinds), { minLength: 1 }), question, (kinds, said) => {
      const answer = asked(rules(...kinds), said);
      if ("ask" in answer) return;
      const allowing = said.options.filter((offered) => offered.kind === "allow_once");
      expect(allowing.map((offered) => offered.option)).toEqual([answer.answer]);
      const told = new Set([
        ...said.kindsBefore,
        ...(said.kind === null || said.kind === undefined ? [] : [said.kind]),
      ]);
      expect(told.size).toBe(1);
      expect(told.has("switch_mode")).toBe(false);
      expect(kinds).toContain([...told][0]);
      expect(said.locations.length).toBeGreaterThan(0);
      for (const { real } of said.locations) expect(real).toMatch(/^\/ws\//);
    }),
    { numRuns: 2_000 },
  );
});
