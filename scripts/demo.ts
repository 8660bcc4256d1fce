// SPDX-License-Identifier: MIT OR Apache-2.0
// The first minutes with agentd, as somebody would type them: start a session, watch it, read its log.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));

const running = spawnSync(process.execPath, [program, "agent", "status"], { stdio: "ignore" }).status === 0;
mix("agent", "start", "demo", "write hello.txt", "--close");
const [session = ""] = execFileSync(process.execPath, [program, "agent", "ls", "--all", "--quiet"], {
  encoding: "utf8",
}).split("\n");
mix("agent", "log", session);
// What was there before is left as it was.
if (!running) mix("agent", "stop");

function mix(...args: string[]): void {
  const shown = args.map((arg) => (/[^\w.-]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ");
  process.stdout.write(`\n$ mix ${shown}\n`);
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
