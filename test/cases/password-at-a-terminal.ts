// SPDX-License-Identifier: MIT OR Apache-2.0
// Run at a real terminal, as agentd may be: a command that an agent asked for and that asks for a password.
//   node --import tsx password-at-a-terminal.ts URL RESULT
// The result, in JSON, is how the command ended and what it said; nothing of it may be on this terminal.
import { closeSync, openSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { shell } from "../../agentd/client-side/terminals/testing/terminals.ts";

const [url = "", result = ""] = process.argv.slice(2);
closeSync(openSync("/dev/tty", "r+")); // throws where there is none, and then this shows nothing
const PATH = process.env["PATH"] ?? "";
const ends = [];
for (const prompt of ["0", "1"]) {
  await using git = await shell(`git clone ${url} gone-${process.pid}`, {
    cwd: tmpdir(),
    env: { PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: prompt, LC_ALL: "C" },
  });
  const exit = await git.exit;
  ends.push({ prompt, ...exit, output: git.terminal.output().output });
}
writeFileSync(result, JSON.stringify(ends));
