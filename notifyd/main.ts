// SPDX-License-Identifier: MIT OR Apache-2.0
// The program.
import { parseArgs } from "node:util";
import { ownBuild } from "../files/installed-build.ts";
import { processWords } from "../display/process-output.ts";
import { NotifydError } from "./notifyd-error.ts";
import { run } from "./run.ts";

const help = `notifyd: asks people what agents and other programs want to know

  notifyd

The service \`notify\` on the Bus. Runs in the foreground and speaks on stderr. Questions are shown on the desktop where
there is one (notify-send and a notification service), and by \`mix notify ls\`; \`mix notify answer\` answers them.
  --version   prints the version
  --help      prints this
`;

const words = processWords("stderr");

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { version: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.version || values.help) {
    void processWords("stdout").text(values.version ? `notifyd ${ownBuild(import.meta.url).version}\n` : help);
    return;
  }
  await run(words);
}

main().catch((error: unknown) => {
  const isKnown =
    error instanceof NotifydError ||
    (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  const message = isKnown ? error.message : String(error instanceof Error ? error.stack : error);
  void words.text(`notifyd: ${message}\n`);
  process.exitCode = error instanceof NotifydError ? error.exitCode : isKnown ? 2 : 1;
});
