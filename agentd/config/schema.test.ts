// SPDX-License-Identifier: MIT OR Apache-2.0
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { parseSettings } from "./schema.ts";
import { builtInPolicies, defaultSettings } from "./settings.ts";

test("an empty file means the defaults", () => {
  expect(settingsOf("")).toEqual(defaultSettings);
});

test("max_sessions has no upper limit, and is at least one", () => {
  expect(settingsOf("max_sessions = 100000").maxSessions).toBe(100_000);
  for (const wrong of ["0", "-1", "1.5", '"8"'])
    expect(parseSettings(parse(`max_sessions = ${wrong}`), "/home/ann").ok).toBe(false);
});

test("a file with every key is parsed", () => {
  const settings = settingsOf(`
    roots = ["~/src", "/srv/work/", "~"]
    max_sessions = 3
    idle_timeout = "none"
    permission_timeout = "1h30m"
    allow_env = ["GH_TOKEN", "GH_TOKEN"]
    log_quota = "2GiB"
    mcp_deny = ["term", "shell-*"]
    notify = "none"
    bus_tools = false
    agents_act = "any"
    mesh = "answer"
    [agents.mine]
    command = ["my-agent", "--acp"]
    env = { MY_MODE = "quiet" }
    unset = ["HTTP_PROXY"]
    protocol = 1
    start_timeout = "5m"
    [agents.other]
    command = ["~/bin/other"]
    [policies.reading]
    allow_once = [{ kinds = ["read", "search"], within = "session" }, { kinds = ["edit"], within = "~/notes" }]
  `);
  expect(settings).toEqual({
    roots: ["/home/ann/src", "/srv/work/", "/home/ann"],
    maxSessions: 3,
    idleTimeoutMs: null,
    permissionTimeoutMs: 5_400_000,
    allowEnv: ["GH_TOKEN"],
    logQuotaBytes: 2_147_483_648,
    mcpDeny: ["term", "shell-*"],
    notify: undefined,
    busTools: false,
    agentsAct: "any",
    mesh: "answer",
    agents: new Map([
      [
        "mine",
        {
          command: ["my-agent", "--acp"],
          env: { MY_MODE: "quiet" },
          unset: ["HTTP_PROXY"],
          protocol: 1,
          startTimeoutMs: 300_000,
        },
      ],
      ["other", { command: ["/home/ann/bin/other"], env: {}, unset: [], protocol: 1, startTimeoutMs: undefined }],
    ]),
    policies: new Map([
      ...builtInPolicies,
      [
        "reading",
        {
          allowOnce: [
            { kinds: ["read", "search"], within: "session" },
            { kinds: ["edit"], within: { directory: "/home/ann/notes" } },
          ],
        },
      ],
    ]),
  });
});

test("quirks that are written are set, and the absent ones are left to what agentd knows", () => {
  const read = (quirks: object) => {
    const parsed = parseSettings({ agents: { x: { command: ["a"], quirks } } }, "/home/ann");
    return parsed.ok ? parsed.settings.agents.get("x")?.quirks : parsed.faults;
  };
  expect(read({})).toStrictEqual({});
  expect(
    read({ missing_file_is_empty: true, mode_message_prefix: "", load_once: false, stop_grace: "1ms" }),
  ).toStrictEqual({ missingFileIsEmpty: true, modeMessagePrefix: "", loadOnce: false, stopGraceMs: 1 });
});

test.each([
  ["max_session = 3", "max_session", "did you mean max_sessions?"],
  ["[agents.x]\ncommand = ['a']\ncomand = ['b']", "agents.x.comand", "did you mean command?"],
  ["[agents.x]\ncommand = ['a']\nquirks = {loadonce=true}", "agents.x.quirks.loadonce", "did you mean load_once?"],
  ["[agents.x]\ncommand = ['a']\nquirks = {load_once=1}", "agents.x.quirks.load_once", "true or false"],
  ["[agents.x]\ncmd = ['b']", "agents.x.command", "is missing"],
  ["[policies.x]\nallow = 1", "policies.x.allow", "known are allow_once"],
  [
    "[policies.x]\nallow_once = [{kinds=['read'], within='session', wihtin=1}]",
    "policies.x.allow_once.0.wihtin",
    "did you mean within?",
  ],
  [
    "[policies.x]\nallow_once = [{kinds=['raed'], within='session'}]",
    "policies.x.allow_once.0.kinds.0",
    "did you mean read?",
  ],
  ["[policies.x]\nallow_once = [{within='session'}]", "policies.x.allow_once.0.kinds", "is missing"],
  ["[policies.x]\nallow_once = [{kinds=[], within='session'}]", "policies.x.allow_once.0.kinds", "at least one"],
  ["[policies.x]\nallow_once = [{kinds=['read'], within='src'}]", "policies.x.allow_once.0.within", "absolute"],
  ["roots = ['']", "roots.0", "absolute"],
  ["roots = ['src']", "roots.0", "absolute"],
  ["roots = ['~other/src']", "roots.0", "absolute"],
  ["roots = '~/src'", "roots", "list of directories"],
  ["max_sessions = 0", "max_sessions", "whole number from 1"],
  ["max_sessions = 2.5", "max_sessions", "whole number"],
  ["max_sessions = nan", "max_sessions", "whole number"],
  ["max_sessions = inf", "max_sessions", "whole number"],
  ["max_sessions = '8'", "max_sessions", "whole number"],
  ["idle_timeout = 0", "idle_timeout", "duration in quotes"],
  ["idle_timeout = '0s'", "idle_timeout", "too short"],
  ["idle_timeout = '30d'", "idle_timeout", "longer than 24 days"],
  ["permission_timeout = '-10m'", "permission_timeout", "not a duration"],
  ["permission_timeout = nan", "permission_timeout", "duration in quotes"],
  ["log_quota = 'none'", "log_quota", "not a size"],
  ["log_quota = '10kB'", "log_quota", "at least"],
  ["mesh = 'allow'", "mesh", "refuse"],
  ["agents_act = 'all'", "agents_act", "started"],
  ["notify = 'Not a name'", "notify", "Bus service"],
  ["mcp_deny = ['*term']", "mcp_deny.0", "* may stand at the end"],
  ["allow_env = ['A=B']", "allow_env.0", "name of an environment variable"],
  ["allow_env = ['../../.ssh/id_ed25519']", "allow_env.0", "name of an environment variable"],
  ["allow_env = ['AGENTD_SESSION']", "allow_env.0", "are reserved"],
  ["[agents.x]\ncommand = []", "agents.x.command", "too short; it must be a list of texts"],
  ["[agents.x]\ncommand = 'a --acp'", "agents.x.command", "list of texts"],
  ["[agents.x]\ncommand = ['']", "agents.x.command.0", "must be named"],
  ["[agents.x]\ncommand = ['./a']", "agents.x.command.0", "bare name"],
  ["[agents.x]\ncommand = ['bin/a']", "agents.x.command.0", "bare name"],
  ["[agents.x]\ncommand = ['a']\nprotocol = 2", "agents.x.protocol", "must be 1"],
  ["[agents.x]\ncommand = ['a']\nstart_timeout = 'none'", "agents.x.start_timeout", "not a duration"],
  ["[agents.x]\ncommand = ['a']\nenv = { AGENTD_CONFIG = 'x' }", "agents.x.env.AGENTD_CONFIG", "are reserved"],
  ["[agents.x]\ncommand = ['a']\nenv = { A = 1 }", "agents.x.env.A", "text in quotes"],
  ["[agents.x]\ncommand = ['a']\nunset = 'A'", "agents.x.unset", "list of names"],
  ["[agents.x]\ncommand = ['a']\nunset = ['A=B']", "agents.x.unset.0", "name of an environment variable"],
  ["[agents.x]\ncommand = ['a']\nunset = ['B', 'AGENTD_SESSION']", "agents.x.unset.1", "are reserved"],
  ["[agents.x]\ncommand = ['a']\nunset = ['PATH']", "agents.x.unset.0", "cannot be left out"],
  [
    "[agents.x]\ncommand = ['a']\nenv = { A = '1' }\nunset = ['B', 'A']",
    "agents.x.unset.1",
    "remove it from one of the two",
  ],
  ["[agents.'../x']\ncommand = ['a']", "agents.../x", "a-z"],
  ["agents = 3", "agents", "table of agents"],
])("%j is refused at %s: %s", (text, path, reason) => {
  const parsed = parseSettings(parse(text), "/home/ann");
  const faults = parsed.ok ? [] : parsed.faults.map((fault) => ({ path: fault.path.join("."), reason: fault.reason }));
  expect(faults).toContainEqual({ path, reason: expect.stringContaining(reason) });
});

test("no message contains the value of an agent's variable", () => {
  const parsed = parseSettings(parse("[agents.x]\ncommand = ['a']\nenv = { KEY = ['sk-secret'] }"), "/home/ann");
  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed)).not.toContain("sk-secret");
});

test("agents may be named like properties of Object.prototype", () => {
  const settings = settingsOf(`[agents.constructor]\ncommand = ["a"]`);
  expect([...settings.agents.keys()]).toEqual(["constructor"]);
  expect(settingsOf("").agents.get("constructor")).toBeUndefined();
  expect(parseSettings(parse("__proto__ = 1"), "/home/ann").ok).toBe(false);
});

test("a rule that names switch_mode is kept, with a warning that it has no effect", () => {
  const text = `[policies.p]\nallow_once = [{ kinds = ["read", "switch_mode"], within = "session" }]`;
  const parsed = parseSettings(parse(text), "/home/ann");
  expect(parsed.ok && parsed.warnings).toEqual([
    { path: ["policies", "p", "allow_once", 0, "kinds"], reason: expect.stringContaining("no effect") },
  ]);
});

test("a value that has an effect causes no warning", () => {
  const parsed = parseSettings(parse(`mcp_deny = ["term"]`), "/home/ann");
  expect(parsed.ok && parsed.warnings).toEqual([]);
  const nothing = parseSettings(parse(""), "/home/ann");
  expect(nothing.ok && nothing.warnings).toEqual([]);
});

function settingsOf(text: string) {
  const parsed = parseSettings(parse(text), "/home/ann");
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.settings;
}

test.each([
  ["[agents.__proto__]\ncommand = ['x']", ["agents", "__proto__"]],
  ["[agents.a]\ncommand = ['x']\nenv = { __proto__ = 'x' }", ["agents", "a", "env", "__proto__"]],
  ["__proto__ = 1", ["__proto__"]],
])("%j is refused, and not passed over", (text, path) => {
  expect(parseSettings(parse(text), "/home/me")).toEqual({
    ok: false,
    faults: [{ path, reason: "is a name that cannot be used: __proto__" }],
  });
});
