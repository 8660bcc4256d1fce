// SPDX-License-Identifier: MIT OR Apache-2.0
// The daemon's program. It always runs in the foreground; `mix` starts it as a background process.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ownBuild } from "../files/installed-build.ts";
import { processWords } from "../display/process-output.ts";
import type { CatalogueRequest } from "./change-catalogue.ts";
import { DaemonError } from "./daemon-error.ts";
import type { CatalogueEvent } from "./vocabulary/catalogue-change.ts";

const help = `agentd: coding agents as sessions on the MixOS Bus

  agentd [--log-level trace|debug|info|warn|error] [--background]
  agentd --check
  agentd --login-environment <agent>
  agentd --install <agent> | --remove <agent> | --registry <file or https URL>
  agentd --add <name> [--replace] [--env-from-stdin] -- <command> [<word>…]

Runs in the foreground and logs to stderr; with --background it logs to agentd.log in its state directory, which is
rotated before it grows too large. \`mix agent start\` starts it in the background by itself.
  --check     prints what a start would find as a line of JSON (\`mix agent doctor\` shows it), and changes nothing
  --login-environment  prints the environment of the agent's sessions, as a line of JSON with its secret values, into
              a pipe (\`mix agent agents login\` runs the agent's own login program with it)
  --install   installs a built-in agent into agentd's own directory (\`mix agent agents install\`); --remove removes it
  --registry  lists the agents of a registry; --add writes an agent into the configuration (\`mix agent agents add\`),
              with the variables of a line of JSON from stdin
  --version   prints the version
  --help      prints this
`;

const stderr = processWords("stderr");

/** How the command line is called from where this program was: npx finds no program but the package's own. */
const mix = process.env["npm_command"] === "exec" ? "npx -p agentd mix" : "mix";
const foregroundHint = `agentd runs here until Ctrl-C. In another terminal: ${mix} agent start demo "write hello.txt"`;
const levels = ["trace", "debug", "info", "warn", "error"];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    // Only the command of an added agent has words.
    allowPositionals: process.argv[2] === "--add",
    options: {
      version: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      "log-level": { type: "string", default: "info" },
      background: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      "login-environment": { type: "string" },
      install: { type: "string" },
      remove: { type: "string" },
      add: { type: "string" },
      replace: { type: "boolean", default: false },
      "env-from-stdin": { type: "boolean", default: false },
      registry: { type: "string" },
    },
  });
  const level = values["log-level"];
  if (!levels.includes(level)) throw new DaemonError("USAGE", `--log-level must be one of ${levels.join(", ")}`);
  if (values.version) return print(`agentd ${ownBuild(import.meta.url).version}\n`);
  if (values.help) return print(help);
  if (values.check) {
    const { checkInstallation } = await import("./check.ts");
    await processWords("stdout").json(`${JSON.stringify(checkInstallation(ownBuild(import.meta.url)))}\n`);
    return 0;
  }
  const loginOf = values["login-environment"];
  if (loginOf !== undefined) return await printLoginEnvironment(loginOf);
  const change = await wantedChange(values, positionals);
  if (change !== undefined) {
    const { changeCatalogue } = await import("./change-catalogue.ts");
    const stdout = processWords("stdout");
    const onEvent = (event: CatalogueEvent): void => void stdout.json(`${JSON.stringify(event)}\n`);
    return (await changeCatalogue(change, ownBuild(import.meta.url).version, onEvent)) ? 0 : 1;
  }
  if (stderr.isTTY) void stderr.text(`${foregroundHint}\n`);
  // Evaluated only to run the daemon, so that --version and --help are quick.
  const { run } = await import("./run.ts");
  await run({ level, background: values.background, stderr });
  return 0;
}

async function printLoginEnvironment(agent: string): Promise<number> {
  const stdout = processWords("stdout");
  if (stdout.isTTY) throw new DaemonError("USAGE", "--login-environment prints secrets: only into a pipe");
  const { loginEnvironment } = await import("./login-environment.ts");
  const { version } = ownBuild(import.meta.url);
  const found = await loginEnvironment(agent, { own: process.env, version });
  await stdout.json(`${JSON.stringify(found)}\n`);
  return 0;
}

interface ChangeOptions {
  readonly install?: string;
  readonly remove?: string;
  readonly add?: string;
  readonly replace: boolean;
  readonly "env-from-stdin": boolean;
  readonly registry?: string;
}

async function wantedChange(options: ChangeOptions, command: readonly string[]): Promise<CatalogueRequest | undefined> {
  const { install, remove, add, replace, registry } = options;
  if (install !== undefined) return { kind: "install", agent: install };
  if (remove !== undefined) return { kind: "remove", agent: remove };
  if (registry !== undefined) return { kind: "registry", source: registry };
  if (add === undefined) return undefined;
  const env = options["env-from-stdin"] ? await readVariables() : {};
  return { kind: "add", agent: add, command, env, replace };
}

/** A line of JSON, from stdin: everybody can read a program's arguments. */
async function readVariables(): Promise<unknown> {
  const lines = createInterface({ input: process.stdin });
  const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
  lines.close();
  try {
    return JSON.parse(line ?? "");
  } catch {
    throw new DaemonError("USAGE", "--env-from-stdin: the variables are not a line of JSON");
  }
}

function print(text: string): number {
  void processWords("stdout").text(text);
  return 0;
}

/** Undefined for an error that was not expected. */
function messageOf(error: unknown): string | undefined {
  if (error instanceof DaemonError) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return `agentd takes no words; the command line is ${mix} agent`;
  return code.startsWith("ERR_PARSE_ARGS") ? (error as Error).message : undefined;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const message = messageOf(error);
    void stderr.text(`agentd: ${message ?? String(error instanceof Error ? error.stack : error)}\n`);
    process.exitCode = error instanceof DaemonError ? error.exitCode : message === undefined ? 1 : 2;
  },
);
