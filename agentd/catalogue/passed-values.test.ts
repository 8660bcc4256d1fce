// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PassedNames, readAgentValues, readPassedValues } from "./passed-values.ts";

const uid = process.getuid?.() ?? 0;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agentd-env-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function pass(names: string[], more: Partial<PassedNames> = {}) {
  const allowEnv = ["GH_TOKEN", "OTHER", "THIRD"];
  const own = { configFile: "/etc/agentd.toml", parent: {}, environmentDirectory: directory, uid, bytesMax: 1024 };
  return readPassedValues({ names, allowEnv, ...own, ...more });
}

test("a value comes from agentd's own environment, else from the file of that name", () => {
  store("GH_TOKEN", "from the file\n");
  store("OTHER", "two\nlines\r\n");
  expect(pass(["GH_TOKEN", "OTHER"], { parent: { GH_TOKEN: "from the environment" } })).toEqual({
    ok: true,
    values: { GH_TOKEN: "from the environment", OTHER: "two\nlines" },
  });
  expect(pass(["GH_TOKEN"], { parent: { GH_TOKEN: "" } })).toEqual({ ok: true, values: { GH_TOKEN: "from the file" } });
});

test("a byte order mark before a value is dropped, and UTF-16 is refused", () => {
  store("GH_TOKEN", "\ufefftoken\r\n");
  expect(pass(["GH_TOKEN"])).toEqual({ ok: true, values: { GH_TOKEN: "token" } });
  writeFileSync(join(directory, "GH_TOKEN"), Buffer.from("\ufefftoken", "utf16le"), { mode: 0o600 });
  expect(pass(["GH_TOKEN"])).toMatchObject({ ok: false, message: expect.stringContaining("UTF-16") as unknown });
});

test("a file is read again each time", () => {
  store("GH_TOKEN", "first");
  expect(pass(["GH_TOKEN"])).toEqual({ ok: true, values: { GH_TOKEN: "first" } });
  store("GH_TOKEN", "second");
  expect(pass(["GH_TOKEN"])).toEqual({ ok: true, values: { GH_TOKEN: "second" } });
});

test("a name without a value is refused without any value in the message, and nothing is passed on", () => {
  const passed = pass(["OTHER", "GH_TOKEN"], { parent: { OTHER: "hidden-value" } });
  expect(passed).toMatchObject({ ok: false, name: "GH_TOKEN", message: expect.stringContaining("has no value") });
  expect(JSON.stringify(passed)).not.toContain("hidden-value");
});

test.each(["PATH", "AGENTD_SESSION", "gh_token", "../GH_TOKEN", "", "constructor"])(
  "%j, which the instance does not list, is refused though it has a value, with the file that could list it",
  (name) => {
    const message = expect.stringContaining("/etc/agentd.toml") as string;
    expect(pass([name], { parent: { [name]: "value" } })).toMatchObject({ ok: false, name, message });
  },
);

test("a value that was stored may be passed on although no configuration lists it, and agentd's own is not", () => {
  store("STORED", "value");
  const parent = { STORED: "agentd's own" };
  expect(pass(["STORED"], { allowEnv: [], parent })).toEqual({ ok: true, values: { STORED: "value" } });
});

test("an agent gets the values that were stored for it, and no other", () => {
  store("claude:KEY", "one\n");
  store("codex:KEY", "two");
  store("KEY", "three");
  store("claude:not-a-name", "four");
  const from = { environmentDirectory: directory, uid, bytesMax: 1024 };
  expect(readAgentValues(from, "claude")).toEqual({ ok: true, values: { KEY: "one" } });
  expect(readAgentValues({ ...from, environmentDirectory: `${directory}/none` }, "claude")).toMatchObject({ ok: true });
  chmodSync(join(directory, "claude:KEY"), 0o644);
  expect(readAgentValues(from, "claude")).toMatchObject({ ok: false, name: "KEY" });
});

test("an allowed name that would lead out of the directory is refused", () => {
  writeFileSync(`${directory}-outside`, "value", { mode: 0o600 });
  const name = `../${directory.split("/").at(-1)}-outside`;
  expect(pass([name], { allowEnv: [name] }).ok).toBe(false);
  rmSync(`${directory}-outside`);
});

test.each([0o640, 0o604, 0o620, 0o601])("a file of mode %o is refused", (mode) => {
  store("GH_TOKEN", "hidden-value");
  chmodSync(join(directory, "GH_TOKEN"), mode);
  const passed = pass(["GH_TOKEN"]);
  expect(passed).toMatchObject({ ok: false, message: expect.stringContaining("mode 0600") });
  expect(JSON.stringify(passed)).not.toContain("hidden-value");
});

test("the file of another user is refused", () => {
  store("GH_TOKEN", "value");
  expect(pass(["GH_TOKEN"], { uid: uid + 1 })).toMatchObject({ ok: false, name: "GH_TOKEN" });
});

test("links, FIFOs, directories, empty files, files too large and NUL are refused", () => {
  const file = join(directory, "GH_TOKEN");
  const message = () => {
    const passed = pass(["GH_TOKEN"]);
    rmSync(file, { recursive: true });
    return passed.ok ? "passed" : passed.message;
  };
  store("OTHER", "value");
  symlinkSync(join(directory, "OTHER"), file);
  expect(message()).toContain("ELOOP");
  execFileSync("mkfifo", ["-m", "600", file]);
  expect(message()).toContain("is not in a regular file");
  mkdirSync(file);
  expect(message()).toContain("is not in a regular file");
  store("GH_TOKEN", "\n");
  expect(message()).toContain("is empty");
  store("GH_TOKEN", "x".repeat(1025));
  expect(message()).toContain("larger than 1024 bytes");
  store("GH_TOKEN", "a\0b");
  expect(message()).toContain("NUL");
});

function store(name: string, value: string): void {
  writeFileSync(join(directory, name), value, { mode: 0o600 });
}
