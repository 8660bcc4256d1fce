// SPDX-License-Identifier: MIT OR Apache-2.0
// An ACP v1 agent on stdin and stdout that needs no model and no key. Without arguments it is the demo agent; with
// `--scenario <file or JSON>` it plays that scenario (see scripted/scenario.ts).
import { DemoAgent } from "./demo/demo-agent.ts";
import { loadScenario } from "./scripted/scenario.ts";
import { Output } from "./scripted/output.ts";
import { ScriptedAgent } from "./scripted/scripted-agent.ts";

/** EX_USAGE of sysexits: the command line or its scenario is invalid. */
const usageExit = 64;

const [option, argument, ...surplus] = process.argv.slice(2);
if (option === undefined) demo();
else if (option === "--scenario" && argument !== undefined && surplus.length === 0) scripted(argument);
else stop(`usage: ${process.argv[1]} [--scenario <file or JSON>]`);

function demo(): void {
  // The client has closed our stdout.
  process.stdout.on("error", () => process.exit(0));
  void new DemoAgent({ input: process.stdin, output: process.stdout, onClosed: () => process.exit(0) });
}

function scripted(scenarioArgument: string): void {
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
