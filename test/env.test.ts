// SPDX-License-Identifier: MIT OR Apache-2.0
// `mix agent env`: a value goes from a person to the agent's process, and nowhere else.
// @module-tag slow
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeCast, startWatched, stateOf } from "./cases/scene.ts";
import type { Place } from "./harness/place.ts";
import { builtMix, openShell, whyNoTmux } from "./harness/shell.ts";

const secret = "sk-canary-0123456789abcdef";

function mix({ environment }: Pick<Place, "environment">, words: readonly string[], input = "") {
  const options = { env: environment, encoding: "utf8", input } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtMix, "agent", "env", ...words], options);
  return { code: status, stdout, stderr };
}

/** Its agent notes the value that it got beside its scenario, and dies with it on its lips when it is to open a session. */
function makeKeyedCast() {
  return makeCast(
    { scripted: { rules: [{ on: "session/new", do: [{ stderr: `my key is ${secret}\n` }, { exit: 3 }] }] } },
    {
      wrap: ([node, program, scenario]) => {
        const seen = join(dirname(scenario ?? ""), "seen");
        return ["/bin/sh", "-c", `printf %s "$MY_KEY" > '${seen}'; exec '${node}' '${program}' '${scenario}'`];
      },
    },
  );
}

test("a value that is stored for an agent reaches each of its processes, and neither log nor Bus", async () => {
  using cast = makeKeyedCast();
  const { place } = cast;
  const stored = mix(place, ["set", "MY_KEY", "--agent", "scripted"], `${secret}\n`);
  expect(stored).toMatchObject({ code: 0, stdout: "" });
  expect(stored.stderr).toContain("every new start and resume of scripted gets it");
  expect(stored.stderr).toContain("a session that is live gets it after: mix agent close <session>");
  expect(mix(place, ["ls"]).stdout).toBe("NAME    AGENT\nMY_KEY  scripted\n");
  const file = join(place.stateDirectory, "env", "scripted:MY_KEY");
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const seen = join(cast.agent().directory, "seen");
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  const failed = await stateOf(user, session, "failed");
  expect(readFileSync(seen, "utf8")).toBe(secret);
  expect(failed.error).toMatchObject({ error_code: "AGENT_EXITED", stderr_tail: "my key is [redacted]\n" });

  expect(JSON.stringify(user.seen)).not.toContain(secret);
  expect(daemon.words()).not.toContain(secret);
  const logs = readdirSync(place.stateDirectory).filter((name) => name.startsWith("log.db"));
  expect(logs.filter((name) => readFileSync(join(place.stateDirectory, name)).includes(secret))).toEqual([]);

  rmSync(seen);
  await user.call("agent.probe", { agent: "scripted" });
  expect(readFileSync(seen, "utf8")).toBe(secret);

  expect(mix(place, ["unset", "MY_KEY", "--agent", "scripted"]).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  const another = await user.start({ agent: "scripted", cwd: place.directory() });
  await stateOf(user, another, "failed");
  expect(readFileSync(seen, "utf8")).toBe("");
});

test("a person is told of a login that the agent has kept", () => {
  using cast = makeKeyedCast();
  const { home, environment } = cast.place;
  const bin = join(home, "bin");
  for (const directory of [bin, join(home, ".codex")]) mkdirSync(directory);
  writeFileSync(join(bin, "codex-acp"), "#!/bin/sh\n", { mode: 0o755 });
  const withCodex = { environment: { ...environment, PATH: `${bin}:${environment["PATH"]}` } };
  const store = () => mix(withCodex, ["set", "OPENAI_API_KEY", "--agent", "codex"], secret).stderr;
  expect(store()).not.toContain("has kept a login");
  writeFileSync(join(home, ".codex", "auth.json"), "{}");
  expect(store()).toContain(
    `codex has kept a login in ${join(home, ".codex", "auth.json")}, which counts until you replace it: mix agent agents login codex\n`,
  );
  const removed = mix(withCodex, ["unset", "OPENAI_API_KEY"]);
  expect(removed).toMatchObject({ code: 0, stderr: expect.stringContaining("removed; processes that run") as string });
  expect(removed.stderr).toContain("codex has kept a login in ");
});

test("what agentd and the system rely on is no secret, and what is no key is not stored as one", () => {
  using cast = makeKeyedCast();
  const { place } = cast;
  for (const name of ["AGENTD_SESSION", "PATH", "LD_PRELOAD", "NODE_OPTIONS"]) {
    expect(mix(place, ["set", name, "--agent", "scripted"], "x")).toMatchObject({ code: 2 });
  }
  const key = "sk-ant-0123456789";
  for (const value of [`${key}\nmore`, `${key} ${key}`, `${key}\u00e9`, `export KEY=${key}`]) {
    const refused = mix(place, ["set", "ANTHROPIC_API_KEY"], value);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("was more than the key given?") as string,
    });
    expect(refused.stderr).not.toContain(key);
  }
  expect(mix(place, ["set", "MY_KEY"], "\u001b[200~x").stderr).toContain("control character");
  expect(mix(place, ["ls", "-q"]).stdout).toBe("");
  expect(mix(place, ["set", "ANTHROPIC_API_KEY"], ` ${key}\t\r\n`).code).toBe(0);
  const file = join(place.stateDirectory, "env", "claude:ANTHROPIC_API_KEY");
  expect(readFileSync(file, "utf8")).toBe(key);
  expect(mix(place, ["set", "PEM"], "-----BEGIN-----\nabc\n-----END-----\n").code).toBe(0);
});

test("the value of an agent that is no longer there can be removed, and so can what a killed mix left of it", () => {
  using cast = makeKeyedCast();
  const { place } = cast;
  expect(mix(place, ["set", "MY_KEY", "--agent", "scripted"], secret).code).toBe(0);
  const directory = join(place.stateDirectory, "env");
  writeFileSync(join(directory, "scripted:MY_KEY.new-1"), secret, { mode: 0o600 });
  writeFileSync(place.configFile, "[agents\n");
  const refused = mix(place, ["set", "MY_KEY", "--agent", "scripted"], secret);
  expect(refused).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("your agents could not be read:") as string,
  });
  expect(mix(place, ["unset", "MY_KEY", "--agent", "scripted"]).code).toBe(0);
  expect(readdirSync(directory)).toEqual([]);
});

test("what the file system refuses is told to people, and agentd goes on", async () => {
  using cast = makeCast({ scripted: {} });
  const { place } = cast;
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const directory = join(place.stateDirectory, "env");
  mkdirSync(join(directory, "scripted:MY_KEY"));
  for (const words of [
    ["set", "MY_KEY", "--agent", "scripted"],
    ["unset", "MY_KEY", "--agent", "scripted"],
  ]) {
    const { code, stderr } = mix(place, words, secret);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^USAGE: the values in .*\n$/u) as string,
    });
  }
  rmSync(directory, { recursive: true });
  writeFileSync(directory, "");
  expect(mix(place, ["ls"]).stderr).toMatch(/^USAGE: the values in .*ENOTDIR/u);
  const session = await user.start({ agent: "scripted", cwd: place.directory() });
  const { error } = await stateOf(user, session, "failed");
  expect(error).toMatchObject({ error_code: "AGENT_UNAVAILABLE", message: `${directory} cannot be read (ENOTDIR)` });
  expect((await user.refusal("agent.login", { agent: "scripted" })).code).toBe("AGENT_UNAVAILABLE");
});

test("a value that is stored for no agent may be passed on by name, without a configuration", async () => {
  using cast = makeKeyedCast();
  const { place } = cast;
  expect(mix(place, ["set", "MY_KEY"], secret).stderr).toContain("a start gets it with --env MY_KEY");
  const { daemon, user } = await startWatched(place);
  await using _ = daemon;
  const session = await user.start({ agent: "scripted", cwd: place.directory(), env: ["MY_KEY"] });
  await stateOf(user, session, "failed");
  expect(readFileSync(join(cast.agent().directory, "seen"), "utf8")).toBe(secret);
  const refused = await user.refusal("agent.session.start", { agent: "scripted", cwd: place.directory(), env: ["NO"] });
  expect(refused.body["message"]).toContain("mix agent env set NO");
});

test("a key goes to the agent whose key it is; wrong names, empty values and unknown agents are refused", () => {
  using cast = makeKeyedCast();
  const { place } = cast;
  expect(mix(place, ["set", "ANTHROPIC_API_KEY", "--json"], secret).stdout).toContain('"agent": "claude"');
  expect(mix(place, ["unset", "OPENAI_API_KEY"]).stderr).toContain("OPENAI_API_KEY has no stored value for codex");
  const typed = mix(place, ["set", `MY_KEY=${secret}`]);
  expect(typed).toMatchObject({ code: 2, stderr: expect.stringContaining("not the name of a variable") as string });
  expect(typed.stderr).not.toContain(secret);
  expect(mix(place, ["set", "MY_KEY", "--agent", "claud"], secret)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("did you mean claude?") as string,
  });
  expect(mix(place, ["set", "MY_KEY"], "\n").stderr).toContain("nothing was stored");
  expect(mix(place, ["ls", "-q"]).stdout).toBe("ANTHROPIC_API_KEY\n");
});

test.skipIf(whyNoTmux() !== undefined)("a value that is typed or pasted at a terminal is not shown", async () => {
  using cast = makeKeyedCast();
  const { place } = cast;
  await using shell = await openShell(place, { columns: 80, rows: 24 });
  await shell.run("mix agent env set MY_KEY --agent scripted", "MY_KEY for scripted (not shown):");
  await shell.window.type("wrong");
  await shell.window.press("C-u");
  await shell.window.type(`${secret.slice(0, 8)}x`);
  await shell.window.press("BSpace");
  await shell.window.paste(secret.slice(8));
  // Enter within a paste would be its text.
  await shell.window.shows("(pasted)");
  await shell.window.press("Enter");
  const screen = await shell.window.shows("stored;");
  expect(screen).not.toContain("canary");
  expect(screen).not.toContain("wrong");
  expect(readFileSync(join(place.stateDirectory, "env", "scripted:MY_KEY"), "utf8")).toBe(secret);

  await shell.run("mix agent env set MY_KEY --agent scripted", "(not shown):");
  await shell.window.press("C-z");
  await shell.window.shows(/Stopped[^]*\$$/);
  await shell.window.type("fg");
  await shell.window.press("Enter");
  await shell.window.shows(/fg\nmix agent env set[^]*\(not shown\):$/);
  await shell.window.press("C-c");
  await shell.window.shows(/exit 130/);
  expect(readFileSync(join(place.stateDirectory, "env", "scripted:MY_KEY"), "utf8")).toBe(secret);
});
