// SPDX-License-Identifier: MIT OR Apache-2.0
// The scripted agent on stdin and stdout: `node scripted-agent.mjs <file or JSON>` plays that scenario (see scenario.ts).
import { Output } from "./output.ts";
import { loadScenario } from "./scenario.ts";
import { ScriptedAgent } from "./scripted-agent.ts";

/** EX_USAGE of sysexits: the command line or its scenario is invalid. */
const usageExit = 64;

const [argument, ...surplus] = process.argv.slice(2);
if (argument === undefined || surplus.length > 0) stop(`usage: ${process.argv[1]} <file or JSON>`);
else play(argument);

function play(scenarioArgument: string): void {
  try {
    const scenario = loadScenario(scenarioArgument);
    for (const event of scenario.ignore ?? []) if (event !== "eof") process.on(event, () => {});
    // Only the scenario ends the process, neither a broken pipe nor an empty event loop.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
    setInterval(() => {}, 2 ** 30);
    const output = new Output(process.stdout, process.stderr);
    new ScriptedAgent({ scenario, input: process.stdin, output, onFailure: (error) => stop(String(error)) }).start();
  } catch (error) {
    stop(String(error));
  }
}

function stop(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exit(usageExit);
}
