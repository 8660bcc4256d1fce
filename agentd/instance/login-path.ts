// SPDX-License-Identifier: MIT OR Apache-2.0
// The PATH of the user's login shell, for an agentd that a service manager started with the system's directories alone.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { attempt } from "../../files/attempt.ts";
import { isProgram } from "../../files/find-on-path.ts";

/** How long the shell may take to read its files: agentd must be on the Bus within 10 s. */
const shellWithinMs = 3_000;
const pathLengthMax = 32 * 1024;
const outputLengthMax = 256 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the PATH to use. One with a directory beyond the system's was chosen by somebody and stays as it is. Otherwise
 * the login shell is run once, without a terminal; where it fails or takes too long, the PATH stays as well.
 */
export async function loginSearchPath(
  environment: Environment,
  { shell = loginShell(environment), withinMs = shellWithinMs }: { shell?: string | undefined; withinMs?: number } = {},
): Promise<string | undefined> {
  const own = environment["PATH"];
  if (!isOfSystem(own) || shell === undefined) return own;
  const found = await askShell(shell, environment, withinMs);
  if (found === undefined) return own;
  const directories = [...found.split(delimiter), ...(own ?? "").split(delimiter)].filter(Boolean);
  return [...new Set(directories)].join(delimiter);
}

const systemDirectories = /^(?:\/usr(?:\/local)?)?\/(?:s?bin|games)$|^\/snap\/bin$/u;

function isOfSystem(path: string | undefined): boolean {
  return (path ?? "").split(delimiter).every((directory) => directory === "" || systemDirectories.test(directory));
}

function loginShell(environment: Environment): string | undefined {
  const shell = environment["SHELL"] || attempt(() => userInfo().shell);
  return shell && isAbsolute(shell) && isProgram(shell) ? shell : undefined;
}

/** Marks the output, as the shell's files may print anything before and after it. */
function askShell(shell: string, environment: Environment, withinMs: number): Promise<string | undefined> {
  const mark = `agentd-${randomBytes(8).toString("hex")}`;
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("AGENTD_")));
  const child = spawn(shell, ["-lc", `echo ${mark}; printenv PATH; echo ${mark}`], {
    cwd: "/",
    env,
    // A process group of its own: what the shell's files start is ended with it.
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((resolve) => {
    let output = "";
    const end = (): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      attempt(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"));
      resolve(pathIn(output, mark));
    };
    const timer = setTimeout(end, withinMs);
    child.once("error", end).once("close", end);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      // A program that the shell's files left running may keep the output open.
      if (output.length > outputLengthMax || pathIn(output, mark) !== undefined) end();
    });
  });
}

/** Undefined unless it stands between two lines with the mark. */
function pathIn(output: string, mark: string): string | undefined {
  const path = output.split(`${mark}\n`, 3).length < 3 ? undefined : output.split(`${mark}\n`)[1]?.trim();
  const isUsable = path !== undefined && path.length <= pathLengthMax && path.startsWith("/") && !/[\n\0]/u.test(path);
  return isUsable ? path : undefined;
}
