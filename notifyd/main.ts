#!/usr/bin/env node
// SPDX-License-Identifier: MIT OR Apache-2.0
// The program. What it takes to run is loaded only then: a question for the version is answered at once.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { NotifydError } from "./notifyd-error.ts";

const help = `notifyd: asks people what agents and other programs want to know

  notifyd

The service \`notify\` on the Bus. Runs in the foreground and speaks on stderr. Questions are shown on the desktop where
there is one (notify-send and a notification service), and by \`mix notify ls\`; \`mix notify answer\` answers them.
  --version   prints the version
  --help      prints this
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { version: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.version || values.help) {
    process.stdout.write(values.version ? `notifyd ${packageVersion()}\n` : help);
    return;
  }
  const { run } = await import("./run.ts");
  await run(packageVersion());
}

function packageVersion(): string {
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    const file = join(directory, "package.json");
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
    if (directory === dirname(directory)) throw new Error("no package.json above this program");
  }
}

main().catch((error: unknown) => {
  const isKnown =
    error instanceof NotifydError ||
    (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  process.stderr.write(`notifyd: ${isKnown ? error.message : String(error instanceof Error ? error.stack : error)}\n`);
  process.exitCode = error instanceof NotifydError ? error.exitCode : isKnown ? 2 : 1;
});
