// SPDX-License-Identifier: MIT OR Apache-2.0
// A new person's first quarter of an hour, and the same without a terminal.
// @module-tag slow
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCast } from "./cases/scene.ts";
import { openShell, whyNoTmux } from "./harness/shell.ts";

const terminal = { id: "tty", type: "terminal", name: "Log in here", args: ["--log-in"] };

/** Its agent opens no session until somebody has logged in. */
function makeNewcomer() {
  return makeCast(
    {
      scripted: {
        initialize: { authMethods: [terminal] },
        rules: [{ on: "session/prompt", do: [{ text: "It contains nothing." }, "default"] }],
      },
    },
    {
      wrap: ([node, program, scenario]) => [
        "/bin/sh",
        "-c",
        `[ "$1" = --log-in ] || exec '${node}' '${program}' '${scenario}'
         touch "$HOME/logged-in"`,
        "agent",
      ],
    },
  );
}

test.skipIf(whyNoTmux() !== undefined).each([80, 120])(
  "each step of the setup asks, at %i columns, and ends with a first answer",
  async (columns) => {
    using cast = makeNewcomer();
    const { place } = cast;
    await using shell = await openShell(place, { columns, rows: 40 });
    const { window } = shell;
    const first = await shell.run("mix agent setup", "or Enter for none:");
    const number = /^ {2}(\d+) {2}scripted: installed, no login was found$/m.exec(first)?.[1] ?? "";
    expect(first).toContain("Claude Code: not installed");
    await window.type(number);
    await window.press("Enter");
    await window.shows("scripted needs a login or a key. What do you want to do?");
    await window.shows("1 to 2, or Enter for none:");
    expect(existsSync(join(place.home, "logged-in"))).toBe(false);
    await window.type("1");
    await window.press("Enter");
    const asked = await window.shows("[y/N]");
    expect(asked).toContain("Try scripted in ");
    expect(existsSync(join(place.home, "logged-in"))).toBe(true);
    await window.type("y");
    await window.press("Enter");
    const last = await window.shows("from now on: mix agent start scripted");
    expect(last).toContain("It contains nothing.");
    expect(Math.max(...last.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);

    await shell.run("mix agent setup", "or Enter for none:");
    await window.press("Enter");
    await window.shows(/\$$/);
    const told = await shell.run("mix agent setup < /dev/null", "to try it without an agent of your own");
    expect(told).toContain("to log in to scripted: mix agent agents login scripted");
    expect(told).toContain("to install codex:");
  },
);
