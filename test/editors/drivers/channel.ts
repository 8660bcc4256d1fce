// SPDX-License-Identifier: MIT OR Apache-2.0
// The driver's end of the socket, for drivers that are Node programs.
import { createRequire } from "node:module";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { DriverCommand, DriverEvent } from "../driver-protocol.ts";

/** The agent's program and arguments. */
export const agentWords: readonly [string, ...string[]] = JSON.parse(process.env["EDITOR_AGENT"] ?? "");

/** Imports a package of .real-editors/. */
export async function importInstalled(name: string) {
  const require = createRequire(`${process.env["EDITOR_MODULES"]}/driver.js`);
  return await import(pathToFileURL(require.resolve(name)).href);
}

type Handlers = {
  readonly [Do in DriverCommand["do"]]?: (command: Extract<DriverCommand, { do: Do }>) => unknown;
};

/** Tells the test. */
export type Tell = (event: DriverEvent) => void;

/**
 * Handles commands as they come, without waiting for each other; one that fails is told as `failed`. The process ends
 * with the socket, or when `end` was handled.
 */
export function serveCommands(handlersOf: (tell: Tell) => Handlers): void {
  const socket = connect(process.env["EDITOR_SOCKET"] ?? "");
  const tell: Tell = (event) => void socket.write(`${JSON.stringify(event)}\n`);
  const handlers = handlersOf(tell);
  const handle = async (command: DriverCommand): Promise<void> => {
    try {
      const handler = handlers[command.do] as ((told: DriverCommand) => unknown) | undefined;
      if (handler === undefined) throw new Error("this client cannot do that");
      await handler(command);
    } catch (error) {
      const message = error instanceof Error ? error.message : JSON.stringify(error);
      tell({ event: "failed", do: command.do, message });
    }
    if (command.do === "end") socket.end(() => process.exit(0));
  };
  createInterface({ input: socket }).on("line", (line) => void handle(JSON.parse(line)));
  socket.on("close", () => process.exit(0));
}

/** Numbers the prompts and tells the end of each. `run` resolves to the stop reason. */
export function turnTeller(tell: Tell): (run: () => Promise<string>) => Promise<void> {
  let count = 0;
  return async (run) => {
    const number = (count += 1);
    try {
      tell({ event: "turn", number, end: await run() });
    } catch (error) {
      const message = error instanceof Error ? error.message : JSON.stringify(error);
      tell({ event: "turn", number, end: "error", message });
    }
  };
}
