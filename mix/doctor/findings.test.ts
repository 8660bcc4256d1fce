// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { CheckReport } from "../../agentd/vocabulary/check.ts";
import type { CatalogueEntry, StatusReply } from "../../agentd/vocabulary/replies.ts";
import { type Facts, type Finding, findingsOf, nodeNeeded } from "./findings.ts";

const now = Date.parse("2026-12-01T12:00:00.000Z");
const stateDirectory = { directory: "/home/ann/.local/state/agentd" };
const config = { file: "/home/ann/agentd.toml", loaded: true, problems: [], warnings: [] };
const log = { file: `${stateDirectory.directory}/log.db`, bytes: 4096 };
const check: CheckReport = { version: "1.2.3", state: stateDirectory, config, log, agents: [] };
const sound: Facts = {
  now,
  node: "v20.19.0",
  mix: { version: "1.2.3", build: "b1", file: "/usr/lib/mix.cjs", onPath: "/usr/lib/mix.cjs" },
  bus: { url: undefined, warnings: [] },
  daemon: undefined,
  check,
  freeBytes: 5 * 1024 ** 3,
  logWrittenAt: now - 1000,
  isClockSynchronised: undefined,
};
const status: StatusReply = {
  pid: 7,
  version: "1.2.3",
  started_at: "2026-12-01T11:00:00.000Z",
  bus: { url: "ws+unix:///run/bus.sock:/ws", embedded: true, state: "connected", generation: 1 },
  log: { id: "l", file: log.file, bytes: 4096 },
  config: { file: config.file, loaded: true },
  limits: [],
  sessions: { live: 1, max: 8 },
  people: { service: "notify", state: "there" },
};
const codex: CatalogueEntry = {
  agent: "codex",
  title: "Codex",
  command: ["codex-acp"],
  built_in: true,
  installed: true,
  version: "1.0.0",
  login: "run `codex login`",
  login_stored: true,
};

test("a sound machine has no fault and no warning, with and without a running agentd", () => {
  const running = { ...sound, daemon: { status, agents: [codex] }, check: { ...check, agents: [codex] } };
  for (const facts of [sound, running]) {
    expect(findingsOf(facts).filter(({ state }) => state === "fault" || state === "warning")).toEqual([]);
  }
  expect(findingsOf(running).map(({ subject }) => subject)).toEqual(
    "node mix agentd bus settings state disk log|agent codex|clock questions".split("|").flatMap((part) => {
      return part.startsWith("agent ") ? [part] : part.split(" ");
    }),
  );
});

test("the Node that is asked for is the one that package.json asks for", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node.match(/\d+\.\d+(\.\d+)?/u)?.[0]).toBe(nodeNeeded.replace(/\.0$/u, ""));
});

const missing: CatalogueEntry = { ...codex, installed: false, problem: "codex-acp was not found", install: "npm i x" };

test.each<[string, Partial<Facts>, Finding]>([
  [
    "an old Node",
    { node: "v18.20.4" },
    { subject: "node", state: "fault", words: "v18.20.4 is too old", remedy: "install Node 20.19.0 or newer" },
  ],
  [
    "another mix on the PATH",
    { mix: { ...sound.mix, onPath: "/opt/mix.cjs" } },
    {
      subject: "mix",
      state: "warning",
      words: "1.2.3 (build b1), but your PATH has another one: /opt/mix.cjs",
      remedy: "remove the one that you do not want from your PATH",
    },
  ],
  [
    "an agentd that does not answer",
    { daemon: { silent: "agentd (pid 7) does not answer" } },
    {
      subject: "agentd",
      state: "fault",
      words: "agentd (pid 7) does not answer",
      remedy: "mix agent stop, then run your command again",
    },
  ],
  [
    "a newer build than the running one",
    { daemon: { status: { ...status, installed: { version: "1.3.0" } }, agents: [] } },
    {
      subject: "agentd",
      state: "warning",
      words: "1.3.0 is installed since it was started",
      remedy: "mix agent stop, or systemctl --user restart agentd; both end live sessions",
    },
  ],
  [
    "no room for a session",
    { daemon: { status: { ...status, sessions: { live: 8, max: 8 } }, agents: [] } },
    {
      subject: "agentd",
      state: "warning",
      words: "no more sessions can be started",
      remedy: "close a session, or raise max_sessions in agentd.toml",
    },
  ],
  [
    "settings that are refused",
    { check: { ...check, config: { ...config, problems: ["/c:1: a", "/c:2: b"] } } },
    {
      subject: "settings",
      state: "fault",
      words: "/c:1: a\n/c:2: b",
      remedy: "edit the file; until then a running agentd keeps its former settings, and none can be started",
    },
  ],
  [
    "a state directory of somebody else",
    { check: { ...check, state: { ...stateDirectory, problem: "belongs to user 0" } } },
    {
      subject: "state",
      state: "fault",
      words: "/home/ann/.local/state/agentd belongs to user 0",
      remedy: "mend the directory, or set AGENTD_STATE_DIR",
    },
  ],
  [
    "a full disk",
    { freeBytes: 1024 ** 2 },
    {
      subject: "disk",
      state: "fault",
      words: "1.0 MiB free where the log is",
      remedy: "make room; mix agent prune --before 30d removes old sessions",
    },
  ],
  [
    "an empty log",
    { check: { ...check, log: { ...log, bytes: 0, problem: "is not an SQLite database" } } },
    {
      subject: "log",
      state: "fault",
      words: "/home/ann/.local/state/agentd/log.db is not an SQLite database",
      remedy: "nothing can run until this is mended; mix agent verify tells more once agentd runs",
    },
  ],
  [
    "a built-in agent that is not installed",
    { check: { ...check, agents: [missing] } },
    { subject: "agent codex", state: "none", words: "codex-acp was not found", remedy: "npm i x" },
  ],
  [
    "a configured agent that is not installed",
    { check: { ...check, agents: [{ ...missing, built_in: false }] } },
    {
      subject: "agent codex",
      state: "fault",
      words: "codex-acp was not found",
      remedy: "mend its command in agentd.toml",
    },
  ],
  [
    "an agent that needs a newer Node",
    {
      check: {
        ...check,
        agents: [{ ...codex, warning: "it needs Node 22", install: "mix agent agents install codex" }],
      },
    },
    {
      subject: "agent codex",
      state: "warning",
      words: "1.0.0, but it needs Node 22",
      remedy: "mix agent agents install codex",
    },
  ],
  [
    "an agent without a stored login",
    { check: { ...check, agents: [{ ...codex, login_stored: false }] } },
    {
      subject: "agent codex",
      state: "warning",
      words: "1.0.0, no stored login was found",
      remedy: "run `codex login`",
    },
  ],
  [
    "an agent that the running agentd does not find",
    { check: { ...check, agents: [codex] }, daemon: { status, agents: [missing] } },
    {
      subject: "agent codex",
      state: "warning",
      words: "1.0.0; the running agentd does not find it on its own PATH",
      remedy: "mix agent stop; the next command starts agentd anew",
    },
  ],
  [
    "a clock that went back",
    { logWrittenAt: now + 3 * 3600_000 },
    {
      subject: "clock",
      state: "fault",
      words: "2026-12-01T12:00:00.000Z, 3h before the log was last written",
      remedy: "set the clock; limits of time and the order of what people see depend on it",
    },
  ],
  [
    "an agentd that cannot be run",
    { check: { failed: "/usr/lib/agentd.cjs is missing" } },
    {
      subject: "agentd",
      state: "fault",
      words: "`agentd --check` failed: /usr/lib/agentd.cjs is missing",
      remedy: "install agentd again",
    },
  ],
])("%s", (_, seen, finding) => {
  expect(findingsOf({ ...sound, ...seen })).toContainEqual(finding);
});
