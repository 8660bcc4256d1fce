// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks every cell of the tables of docs/authority.md the way agentd does: with stamped names and sessions in a log.
import { expect, test } from "vitest";
import { isActing, verbs } from "../vocabulary/index.ts";
import { findExceededGrant, type Given, noOwnSession, grantRefusal, checkAct, checkOption } from "./decide.ts";
import { agentSessionsMax, type Grant, grants, rules } from "./model.ts";
import { sessionOfAgent, senderOf, type SenderKind, senders, type Sessions, type Target, targetOf } from "./sender.ts";
import { actsTable, type Cell, cells, codeIn, grantsTable, page } from "./testing/page.ts";

const [mine, child, grandchild, mate, clients] = ["a", "b", "c", "d", "e"].map((letter) => letter.repeat(12)) as [
  string,
  string,
  string,
  string,
  string,
];
const parents: Readonly<Record<string, string>> = { [child]: mine, [grandchild]: child };
const sessions: Sessions = {
  parentOf: (session) => parents[session] ?? null,
  starterOf: (session) => (session === clients ? "mcp-abcdef" : "mix-abcdef"),
};
const stamps: Readonly<Record<SenderKind, readonly [string | null, "local" | "mesh"]>> = {
  person: ["mix-abcdef", "local"],
  nameless: [null, "local"],
  node: [null, "mesh"],
  agent: [`mcp-s-${mine}-x2y3`, "local"],
  child: [`mcp-s-${child}-x2y3`, "local"],
  client: ["mcp-abcdef", "local"],
};
const found = (kind: SenderKind) => senderOf(...stamps[kind], sessions);

/** Returns a session that is such a target for the sender; any session, for a sender without a session. */
const sessionOf: Readonly<Partial<Record<SenderKind, Partial<Record<Target, string>>>>> = {
  agent: { own: mine, started: child, other: mate },
  child: { own: child, ancestor: mine, other: mate },
  client: { started: clients, other: mate },
};

test("the page has the model's tables", () => {
  expect(page).toContain(`\n${actsTable()}\n`);
  expect(page).toContain(`\n${grantsTable()}\n`);
});

test("there is a rule for every verb that acts, and for none that only reads", () => {
  expect(Object.keys(rules).toSorted()).toEqual([...verbs.filter(isActing), "QUIT"].toSorted());
});

test("a session's descendants count as started by it, and all sessions above it as ancestors", () => {
  expect(targetOf({ kind: "agent", session: mine }, grandchild, sessions)).toBe("started");
  expect(targetOf({ kind: "child", session: grandchild }, mine, sessions)).toBe("ancestor");
});

test("only the stamp tells who the sender is", () => {
  for (const kind of senders) expect(found(kind).kind).toBe(kind);
  expect(senderOf(`mcp-s-${mine}-x2y3`, "mesh", sessions)).toEqual({ kind: "node" });
  expect(senderOf("mcp-s-short-x2y3", "local", sessions)).toEqual({ kind: "client", name: "mcp-s-short-x2y3" });
  for (const name of ["mcp-abcdef", "mix-aaaaaa", `xmcp-s-${mine}-x`, null])
    expect(sessionOfAgent(name)).toBeUndefined();
});

const named = cells().map((cell): [string, Cell] => [`${cell.sender}: ${cell.act} ${cell.target ?? ""}`, cell]);

test("the page has a cell for each possible sender, verb and target", () => {
  const acts = Object.keys(rules).length;
  const onSessions = 7;
  expect(named).toHaveLength((acts - onSessions) * senders.length + onSessions * (senders.length * 4 - 4));
  expect(new Set(named.map(([name]) => name)).size).toBe(named.length);
});

test.each(named)("%s", (_, { act, sender, target, says }) => {
  const who = found(sender);
  const about = target === undefined ? mate : (sessionOf[sender]?.[target] ?? mate);
  if (sessionOf[sender] && target) expect(targetOf(who, about, sessions)).toBe(target);
  for (const mesh of ["refuse", "answer"] as const) {
    for (const agentsAct of ["started", "any"] as const) {
      const no = checkAct(
        who,
        act,
        () => targetOf(who, about, sessions),
        () => ({ mesh, agentsAct }),
      );
      expect(no?.error_code).toBe(codeIn(says, { mesh, agentsAct }));
    }
  }
});

/** For each grant: an item that the agent's own session has too, and one that exceeds it. */
const gifts: Readonly<Record<Grant, { readonly own?: Given; readonly beyond: readonly Given[] }>> = {
  program: { beyond: [{ program: "/usr/bin/env" }] },
  command: {
    beyond: [
      { servers: [{ name: "sh", command: "/bin/sh", env: [] }] },
      {
        servers: [
          { name: "far", headers: [] },
          { name: "sh", command: "sh" },
        ],
      },
    ],
  },
  variable: {
    beyond: [
      { servers: [{ name: "far", headers: [{ value: "plain" }, { value: { env: "TOKEN" } }] }] },
      { servers: [{ name: "far", env: [{ value: { env: "TOKEN" } }] }] },
    ],
  },
  env: { own: { env: ["MINE"] }, beyond: [{ env: ["OTHER"] }, { env: ["MINE", "OTHER"] }] },
  directory: {
    own: { directories: ["/w/mine", "/w/mine/in", "/w/more"] },
    beyond: [
      { directories: ["/w"] },
      { directories: ["/w/mine", "/w/mine-not"] },
      { directories: ["/etc"] },
      { directories: [""] },
    ],
  },
  mode: {
    beyond: [
      { options: [{ option: "mode" }] },
      { options: [{ option: "model" }, { option: "approvals", category: "mode" }] },
    ],
  },
  policy: { own: { policy: "reading" }, beyond: [{ policy: "writing" }] },
  name: {
    own: { name: { name: "one", leadsTo: "started" } },
    beyond: [{ name: { name: "one", leadsTo: "other" } }, { name: { name: "aaa", leadsTo: "own" } }],
  },
};
const ownSession = { env: ["MINE"], directories: ["/w/mine", "/w/more"], policy: "reading" };

test.each(Object.keys(gifts) as Grant[])("the grant %s is limited as the page says", (grant) => {
  const { own, beyond } = gifts[grant];
  const written = page.split("\n").find((one) => one.includes(`| ${grants[grant].what} |`)) ?? "";
  const [people, others, agent, client] = written.split("|").slice(3, 7) as [string, string, string, string];
  const says: Record<SenderKind, string> = {
    person: people,
    nameless: others,
    node: others,
    agent,
    child: agent,
    client,
  };
  for (const kind of senders) {
    const word = says[kind].trim();
    // An MCP client's only sessions are those that it started.
    const has = kind === "client" ? noOwnSession : ownSession;
    for (const given of beyond)
      expect(findExceededGrant(found(kind), given, has)).toBe(word === "yes" ? undefined : grant);
    if (own) expect(findExceededGrant(found(kind), own, has)).toBe(word === "no" ? grant : undefined);
  }
  const { field } = grants[grant];
  expect(grantRefusal(found("agent"), grant)).toMatchObject({ error_code: "AGENT_SELF", field });
  expect(grantRefusal(found("node"), grant)).toMatchObject({ error_code: "UNSUPPORTED", field });
});

test("everyone may give nothing, and everyone may give servers with a url", () => {
  for (const kind of senders) {
    expect(findExceededGrant(found(kind), {}, noOwnSession)).toBeUndefined();
    const servers = [{ name: "far", headers: [{ value: "Bearer x" }] }];
    expect(
      findExceededGrant(found(kind), { servers, name: { name: "new", leadsTo: undefined } }, noOwnSession),
    ).toBeUndefined();
  }
});

test("an option is a mode by its name or by the category that its agent gives", () => {
  const offered = [
    { option: "model", category: "model" },
    { option: "approvals", category: "model" },
    { option: "approvals", category: "mode" },
  ];
  for (const by of [stamps.agent[0], stamps.child[0], stamps.client[0]]) {
    expect(checkOption(by, "option", "mode", [])).toMatchObject({ error_code: "AGENT_SELF", field: "option" });
    expect(checkOption(by, "config", "approvals", offered)).toMatchObject({
      error_code: "AGENT_SELF",
      field: "config",
    });
    expect(checkOption(by, "option", "model", offered)).toBeUndefined();
  }
  for (const by of ["mix-abcdef", null]) expect(checkOption(by, "option", "mode", offered)).toBeUndefined();
});

test("agents may start half of the live sessions, and none if the limit is one", () => {
  expect([1, 2, 3, 8, 256].map(agentSessionsMax)).toEqual([0, 1, 1, 4, 128]);
});
