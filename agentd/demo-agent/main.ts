// SPDX-License-Identifier: MIT OR Apache-2.0
// A real ACP v1 program on stdin and stdout, without a model or a key. Without arguments it is the demo agent; with
// `--scenario <file or JSON>` it plays that scenario (scripted/scenario.ts tells the language).
import { DemoAgent } from "./demo/demo-agent.ts";
import { loadScenario } from "./scripted/scenario.ts";
import { Output } from "./scripted/output.ts";
import { ScriptedAgent } from "./scripted/scripted-agent.ts";

/** As in sysexits: the command line, or the scenario it names, is wrong. */
const usageExit = 64;

const [option, argument, ...surplus] = process.argv.slice(2);
if (option === undefined) demo();
else if (option === "--scenario" && argument !== undefined && surplus.length === 0) scripted(argument);
else stop(`usage: ${process.argv[1]} [--scenario <file or JSON>]`);

function demo(): void {
  // Whoever read our stdout is gone: there is nobody left to work for.
  process.stdout.on("error", () => process.exit(0));
  void new DemoAgent({ input: process.stdin, output: process.stdout, onClosed: () => process.exit(0) });
}

function scripted(scenarioArgument: string): void {
  try {
    const scenario = loadScenario(scenarioArgument);
    for (const event of scenario.ignore ?? []) if (event !== "eof") process.on(event, () => {});
    // The scenario alone says when it ends: not a broken pipe, nor having nothing to do.
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
