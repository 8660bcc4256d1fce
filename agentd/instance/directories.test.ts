// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DirectoryRules, freshWorkspace, resolveDirectories } from "./directories.ts";
import { Reserved } from "./reserved.ts";

const uid = process.getuid?.() ?? 0;
/** A home directory with src/app, src/app-evil, .ssh, .local/state/agentd/workspaces, and out beside it. */
let base: string;
let home: string;
let stateDirectory: string;
let rules: DirectoryRules;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "agentd-directories-")));
  home = join(base, "home");
  stateDirectory = join(home, ".local", "state", "agentd");
  const configFile = "/etc/agentd.toml";
  const workspacesDirectory = join(stateDirectory, "workspaces");
  const reserved = new Reserved({ directories: [stateDirectory], open: [workspacesDirectory], files: [] });
  rules = { configFile, roots: undefined, home, reserved, workspacesDirectory };
  for (const made of ["home/src/app", "home/src/app-evil", "home/src/.hidden", "home/.ssh", "out"]) {
    mkdirSync(join(base, made), { recursive: true });
  }
  mkdirSync(rules.workspacesDirectory, { recursive: true });
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

/** The resolved directory, or the refusal's code. */
function resolve(cwd: string, roots?: readonly string[]): string {
  const resolved = resolveDirectories({ cwd, additionalDirectories: [] }, { ...rules, roots });
  return resolved.ok ? resolved.cwd : resolved.refusal.code;
}

test("without roots, a directory of the home directory may be a session directory", () => {
  expect(resolve(join(home, "src", "app"))).toBe(join(home, "src", "app"));
  expect(resolve(join(home, "src"))).toBe(join(home, "src"));
  expect(resolve(join(home, "src", ".hidden"))).toBe(join(home, "src", ".hidden"));
});

test("the home directory itself, its hidden directories, and those above and beside it are refused", () => {
  for (const path of [
    home,
    `${home}/`,
    join(home, ".ssh"),
    join(home, ".local", "state"),
    base,
    join(base, "out"),
    "/",
    "/etc",
  ]) {
    expect([path, resolve(path)]).toEqual([path, "ROOT_REFUSED"]);
  }
});

test("a refusal names the path as requested, the roots and the configuration file", () => {
  const asked = { cwd: join(base, "out"), additionalDirectories: [] };
  expect(resolveDirectories(asked, { ...rules, roots: ["/nowhere", join(home, "src")] })).toEqual({
    ok: false,
    refusal: {
      code: "ROOT_REFUSED",
      path: asked.cwd,
      roots: ["/nowhere", join(home, "src")],
      message: `${asked.cwd} lies outside the roots; \`roots\` in /etc/agentd.toml says where sessions may work`,
    },
  });
});

test("a root allows itself and what is below it, but no directory whose name only begins with its name", () => {
  const roots = [join(home, "src", "app")];
  mkdirSync(join(home, "src", "app", "deep"));
  expect(resolve(join(home, "src", "app"), roots)).toBe(join(home, "src", "app"));
  expect(resolve(join(home, "src", "app", "deep"), roots)).toBe(join(home, "src", "app", "deep"));
  expect(resolve(join(home, "src", "app-evil"), roots)).toBe("ROOT_REFUSED");
  expect(resolve(join(home, "src"), roots)).toBe("ROOT_REFUSED");
});

test("configured roots replace the rule for the home directory: they allow more and forbid more", () => {
  expect(resolve(join(base, "out"), [join(base, "out")])).toBe(join(base, "out"));
  expect(resolve(join(home, "src"), [join(base, "out")])).toBe("ROOT_REFUSED");
  expect(resolve(home, [home])).toBe(home);
  expect(resolve(join(home, "src"), [])).toBe("ROOT_REFUSED");
});

test.each([
  [["/"], true],
  [[""], false],
  [["."], false],
  [["/nowhere/at/all"], false],
])("with the roots %j an ordinary directory is allowed: %s", (roots, allowed) => {
  expect(resolve(join(base, "out"), roots)).toBe(allowed ? join(base, "out") : "ROOT_REFUSED");
});

test("a home directory of / or none allows nothing", () => {
  for (const none of ["/", "", "relative", "/nowhere/at/all"]) {
    const resolved = resolveDirectories(
      { cwd: join(base, "out"), additionalDirectories: [] },
      { ...rules, home: none },
    );
    expect(resolved).toMatchObject({ ok: false, refusal: { code: "ROOT_REFUSED" } });
  }
});

test("a link that leads out of the roots is refused, one that leads into them is resolved", () => {
  symlinkSync(join(base, "out"), join(home, "src", "link-out"));
  symlinkSync(join(home, "src", "app"), join(base, "link-in"));
  expect(resolve(join(home, "src", "link-out"))).toBe("ROOT_REFUSED");
  expect(resolve(join(base, "link-in"))).toBe(join(home, "src", "app"));
});

test("a root and a home that are links are resolved", () => {
  symlinkSync(join(home, "src"), join(base, "root"));
  expect(resolve(join(home, "src", "app"), [join(base, "root")])).toBe(join(home, "src", "app"));
  expect(resolve(join(base, "root", "app"), [join(base, "root")])).toBe(join(home, "src", "app"));
  symlinkSync(home, join(base, "home-link"));
  rules = { ...rules, home: join(base, "home-link") };
  expect(resolve(join(home, "src", "app"))).toBe(join(home, "src", "app"));
  expect(resolve(join(base, "home-link"))).toBe("ROOT_REFUSED");
});

test("two dots after a link are resolved as the kernel does", () => {
  mkdirSync(join(base, "out", "deep"));
  symlinkSync(join(base, "out", "deep"), join(home, "src", "app", "link"));
  // As text this is home/src/app; its real path is base/out.
  expect(resolve(`${home}/src/app/link/..`)).toBe("ROOT_REFUSED");
  expect(resolve(`${home}/src/app/../app-evil/./`)).toBe(join(home, "src", "app-evil"));
  expect(resolve(`${home}/src/../..`)).toBe("ROOT_REFUSED");
});

test.each(["/proc", "/proc/self/cwd/..", "/sys", "/dev", "/dev/shm", "/proc/self/fd", "/proc/self"])(
  "%s is refused with every directory of the machine as a root",
  (path) => {
    const resolved = resolve(path, ["/"]);
    // The real path of /proc/self/cwd/.. is an ordinary directory.
    expect(resolved).toBe(path === "/proc/self/cwd/.." ? realpathSync(join(process.cwd(), "..")) : "ROOT_REFUSED");
  },
);

test("the directory of agentd's log and secrets is refused, whatever the roots", () => {
  expect(resolve(stateDirectory, ["/"])).toBe("ROOT_REFUSED");
  expect(resolve(rules.workspacesDirectory, ["/"])).toBe("ROOT_REFUSED");
  mkdirSync(join(stateDirectory, "env"));
  expect(resolve(join(stateDirectory, "env"), ["/"])).toBe("ROOT_REFUSED");
});

test("a fresh workspace is new, empty, closed to others, and allowed whatever the roots", () => {
  const first = freshWorkspace(rules.workspacesDirectory);
  const second = freshWorkspace(rules.workspacesDirectory);
  expect(first).not.toBe(second);
  expect(statSync(first).mode & 0o777).toBe(0o700);
  expect(resolve(first)).toBe(first);
  expect(resolve(second, [])).toBe(second);
  symlinkSync(join(base, "out"), join(first, "link"));
  expect(resolve(join(first, "link"))).toBe("ROOT_REFUSED");
});

test.each([
  ["", "is not an absolute path"],
  ["src/app", "is not an absolute path"],
  ["~/src", "is not an absolute path"],
  ["/home\0/x", "NUL"],
  ["$/nowhere", "does not exist"],
  ["$/src/file", "is not a directory"],
  ["$/src/file/below", "not a directory"],
  ["$/src/circle", "loop of links"],
  ["$/src/dangling", "does not exist"],
  [`$/${"x".repeat(5_000)}`, "ENAMETOOLONG"],
])("%j is a wrong argument: %s", (asked, reason) => {
  writeFileSync(join(home, "src", "file"), "");
  symlinkSync("circle", join(home, "src", "circle"));
  symlinkSync("nowhere", join(home, "src", "dangling"));
  const cwd = asked.replace("$", home);
  const refusal = { code: "ARGUMENT", message: expect.stringContaining(reason) };
  expect(resolveDirectories({ cwd, additionalDirectories: [] }, rules)).toEqual({
    ok: false,
    refusal: { ...refusal, field: "cwd" },
  });
  expect(resolveDirectories({ cwd: join(home, "src"), additionalDirectories: [cwd] }, rules)).toEqual({
    ok: false,
    refusal: { ...refusal, field: "additional_dirs" },
  });
});

test("additional directories are checked like cwd, and duplicates are dropped", () => {
  symlinkSync(join(home, "src", "app"), join(home, "src", "link"));
  const ask = (...names: string[]) =>
    resolveDirectories(
      { cwd: join(home, "src", "app"), additionalDirectories: names.map((name) => join(home, name)) },
      rules,
    );
  expect(ask("src/app-evil", "src/link", "src/app-evil/")).toEqual({
    ok: true,
    cwd: join(home, "src", "app"),
    additionalDirectories: [join(home, "src", "app-evil")],
  });
  expect(ask("src/app-evil", ".ssh")).toMatchObject({
    ok: false,
    refusal: { code: "ROOT_REFUSED", path: join(home, ".ssh"), roots: [home] },
  });
});

// Permissions do not bind root.
test.skipIf(uid === 0)("a directory that agentd may not list is a wrong argument", () => {
  chmodSync(join(home, "src", "app"), 0o300);
  expect(resolve(join(home, "src", "app"))).toBe("ARGUMENT");
});

test("whatever the links and dots in a path, an allowed directory lies under the root", () => {
  symlinkSync(join(base, "out"), join(home, "src", "link-out"));
  symlinkSync(home, join(base, "out", "link-home"));
  symlinkSync("..", join(home, "src", "app", "up"));
  const step = fc.constantFrom("..", ".", "", "src", "app", "app-evil", "up", "link-out", "link-home", "home", "out");
  const root = join(home, "src");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const resolved = resolve([base, ...steps].join("/"), [root]);
      return !resolved.startsWith("/") || `${resolved}/`.startsWith(`${root}/`);
    }),
    { numRuns: 1_000 },
  );
  expect(resolve(`${base}/out/link-home/src/app/up/app`, [root])).toBe(join(root, "app"));
});
