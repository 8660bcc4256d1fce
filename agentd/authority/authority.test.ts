// SPDX-License-Identifier: MIT OR Apache-2.0
// Every cell of the page's tables, asked as agentd asks: by names that a broker stamps and by sessions in a log.
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

/** A session that is this to the sender; anyone's, to who has none. */
const sessionOf: Readonly<Partial<Record<SenderKind, Partial<Record<Target, string>>>>> = {
  agent: { own: mine, started: child, other: mate },
  child: { own: child, ancestor: mine, other: mate },
  client: { started: clients, other: mate },
};

test("the page has the model's tables", () => {
  expect(page).toContain(`\n${actsTable()}\n`);
  expect(page).toContain(`\n${grantsTable()}\n`);
});

test("every verb that acts is ruled, and none that only reads", () => {
  expect(Object.keys(rules).toSorted()).toEqual([...verbs.filter(isActing), "QUIT"].toSorted());
});

test("what is below what a session started is its too, and what is above that is an ancestor", () => {
  expect(targetOf({ kind: "agent", session: mine }, grandchild, sessions)).toBe("started");
  expect(targetOf({ kind: "child", session: grandchild }, mine, sessions)).toBe("ancestor");
});

test("senders are known by the stamp alone", () => {
  for (const kind of senders) expect(found(kind).kind).toBe(kind);
  expect(senderOf(`mcp-s-${mine}-x2y3`, "mesh", sessions)).toEqual({ kind: "node" });
  expect(senderOf("mcp-s-short-x2y3", "local", sessions)).toEqual({ kind: "client", name: "mcp-s-short-x2y3" });
  for (const name of ["mcp-abcdef", "mix-aaaaaa", `xmcp-s-${mine}-x`, null])
    expect(sessionOfAgent(name)).toBeUndefined();
});

const named = cells().map((cell): [string, Cell] => [`${cell.sender}: ${cell.act} ${cell.target ?? ""}`, cell]);

test("the page has a cell for each sender, verb and session that can be", () => {
  const acts = Object.keys(rules).length;
  const onSessions = 5;
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

/** For each argument: what the agent's own session has too, and what goes beyond it. */
const gifts: Readonly<Record<Grant, { readonly own?: Given; readonly beyond: readonly Given[] }>> = {
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

test.each(Object.keys(gifts) as Grant[])("what is given as %s is bounded as the page says", (grant) => {
  const { own, beyond } = gifts[grant];
  const written = page.split("\n").find((one) => one.includes(`| ${grants[grant].what} |`)) ?? "";
  const [people, agent, client] = written.split("|").slice(3, 6) as [string, string, string];
  const says: Record<SenderKind, string> = {
    person: people,
    nameless: people,
    node: people,
    agent,
    child: agent,
    client,
  };
  for (const kind of senders) {
    const word = says[kind].trim();
    // An MCP client has no session of its own but those that it started.
    const has = kind === "client" ? noOwnSession : ownSession;
    for (const given of beyond)
      expect(findExceededGrant(found(kind), given, has)).toBe(word === "yes" ? undefined : grant);
    if (own) expect(findExceededGrant(found(kind), own, has)).toBe(word === "no" ? grant : undefined);
  }
  expect(grantRefusal(grant)).toMatchObject({ error_code: "AGENT_SELF", field: grants[grant].field });
});

test("nothing is beyond anybody where nothing is given, and servers by their address are not", () => {
  for (const kind of senders) {
    expect(findExceededGrant(found(kind), {}, noOwnSession)).toBeUndefined();
    const servers = [{ name: "far", headers: [{ value: "Bearer x" }] }];
    expect(
      findExceededGrant(found(kind), { servers, name: { name: "new", leadsTo: undefined } }, noOwnSession),
    ).toBeUndefined();
  }
});

test("an option is a mode by its name or by what its agent says of it", () => {
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

test("of the live sessions agents may begin half, and of one none", () => {
  expect([1, 2, 3, 8, 256].map(agentSessionsMax)).toEqual([0, 1, 1, 4, 128]);
});
