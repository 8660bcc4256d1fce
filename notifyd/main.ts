// SPDX-License-Identifier: MIT OR Apache-2.0
import { parseArgs } from "node:util";
import { ownBuild } from "../files/installed-build.ts";
import { processWords } from "../display/process-output.ts";
import { NotifydError } from "./notifyd-error.ts";
import { run } from "./run.ts";

const help = `notifyd: asks people on behalf of agents and other programs

  notifyd

Serves \`notify\` on the Bus, in the foreground, with its log on stderr. Shows questions as desktop notifications (needs
notify-send and a notification service). \`mix notify ls\` lists questions, \`mix notify answer\` answers them.
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
