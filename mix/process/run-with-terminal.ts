// SPDX-License-Identifier: MIT OR Apache-2.0
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Context, pause } from "./context.ts";

export type TerminalRun =
  /** It ended with exit code 0. */
  | { readonly kind: "done" }
  /** By Ctrl-C, or by a SIGTERM to this process. */
  | { readonly kind: "interrupted" }
  /** `reason` is for people: the exit code or the signal. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "not_run"; readonly reason: string };

/** Runs a program that has the terminal meanwhile. Modes that it leaves behind are put right by Node when mix exits. */
export async function runWithTerminal(
  context: Pick<Context, "after" | "cwd" | "interrupts">,
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<TerminalRun> {
  let isInterrupted = false;
  let tellInterrupted = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => (tellInterrupted = resolve));
  let stopListening = (): void => undefined;
  let cancelKill = (): void => undefined;
  try {
    const child = spawn(program, args, { stdio: "inherit", cwd: context.cwd(), env });
    // The terminal sends Ctrl-C to the program as well; a SIGTERM comes to this process alone.
    stopListening = context.interrupts.listen((by) => {
      isInterrupted = true;
      tellInterrupted();
      if (by !== "SIGTERM") return;
      child.kill("SIGTERM");
      cancelKill = context.after(killAfterMs, () => child.kill("SIGKILL"));
    });
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return { kind: "done" };
    if (signal === "SIGINT" || code === interruptedExit) {
      // This process gets the Ctrl-C, too, perhaps only now, and must not be ended by it before it has said so.
      await Promise.race([interrupted, pause(context, ownSignalMs)]);
      isInterrupted = true;
    }
    if (isInterrupted) return { kind: "interrupted" };
    return { kind: "failed", reason: signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}` };
  } catch (error) {
    return { kind: "not_run", reason: (error as Error).message };
  } finally {
    cancelKill();
    stopListening();
  }
}

const killAfterMs = 2_000;
const ownSignalMs = 100;
/** By the shells' convention, 128 plus the number of SIGINT. */
const interruptedExit = 130;
