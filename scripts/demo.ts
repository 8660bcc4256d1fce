// SPDX-License-Identifier: MIT OR Apache-2.0
// The first minutes with agentd, as somebody would type them: start a session, watch it, read its log.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/bin/mix.cjs", import.meta.url));

// Signals, and a closed stdout, must not keep the agentd that is started here from being stopped.
process.stdout.on("error", () => {});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const running = spawnSync(process.execPath, [program, "agent", "status"], { stdio: "ignore" }).status === 0;
process.exitCode = runDemo();
// An agentd that ran before keeps running.
if (!running) {
  const stopped = mix("agent", "stop");
  process.exitCode ||= stopped;
}

/** Returns the exit code of the first command that failed, or 0. */
function runDemo(): number {
  const started = mix("agent", "start", "demo", "write hello.txt", "--close");
  if (started !== 0) return started;
  const [session = ""] = execFileSync(process.execPath, [program, "agent", "ls", "--all", "--quiet"], {
    encoding: "utf8",
  }).split("\n");
  return mix("agent", "log", session);
}

function mix(...args: string[]): number {
  const written = args.map((arg) => (/[^\w.-]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ");
  process.stdout.write(`\n$ mix ${written}\n`);
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" });
  return status ?? 1;
}
