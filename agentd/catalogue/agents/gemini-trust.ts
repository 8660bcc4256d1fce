// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether Gemini CLI trusts a directory, by the files that it reads itself (0.61.0). In one that it does not trust it
// starts no MCP servers, and says nothing.
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt } from "../../../files/attempt.ts";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import { isRecord } from "../../../json/record.ts";
import { isWithin } from "../../instance/within.ts";
import type { StartPlace, StartProblem } from "./definition.ts";

/** Returns what to tell the person who starts Gemini in a directory that it does not trust. */
export function findTrustProblem({ cwd, home, environment }: StartPlace): StartProblem | undefined {
  if (isTrusted(cwd, home, environment) !== false) return undefined;
  return {
    title: "Gemini CLI does not trust this directory",
    description:
      "It starts no MCP servers here, not even the one for the Bus, and allows only the modes default and plan. To trust " +
      `it, run \`gemini\` in ${cwd} once and choose so, or set security.folderTrust.enabled to false in its settings`,
  };
}

/** Undefined if its files cannot be read: it exits with an error of its own then. */
function isTrusted(cwd: string, home: string, environment: StartPlace["environment"]): boolean | undefined {
  const { GEMINI_RESTRICTED_MODE: restricted, GEMINI_CLI_TRUST_WORKSPACE: trusts } = environment;
  if (restricted === "true" || trusts === "false") return false;
  if (trusts === "true") return true;
  const directory = join(environment["GEMINI_CLI_HOME"] || environment["HOME"] || home, ".gemini");
  const system = environment["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] || "/etc/gemini-cli/settings.json";
  const defaults = environment["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] || join(dirname(system), "system-defaults.json");
  // The administrator's settings override the user's.
  const settings = [system, join(directory, "settings.json"), defaults].map(readObject);
  if (settings.includes(undefined)) return undefined;
  const isEnabled = settings.map(folderTrustOf).find((enabled) => enabled !== undefined) ?? true;
  if (!isEnabled) return true;
  const rules = readObject(environment["GEMINI_CLI_TRUSTED_FOLDERS_PATH"] || join(directory, "trustedFolders.json"));
  return rules && findRule(cwd, rules);
}

const levels: ReadonlySet<unknown> = new Set(["TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"]);

/** The rule of the longest path decides. Without one the directory is not trusted; a rule that is invalid is fatal. */
function findRule(cwd: string, rules: Readonly<Record<string, unknown>>): boolean | undefined {
  if (!Object.values(rules).every((level) => levels.has(level))) return undefined;
  const real = realPath(cwd);
  const [longest] = Object.entries(rules)
    .map(([path, level]) => ({ path: resolve(path), level }))
    .filter(({ path, level }) => isWithin(real, realPath(level === "TRUST_PARENT" ? dirname(path) : path)))
    .sort((one, other) => other.path.length - one.path.length);
  return longest !== undefined && longest.level !== "DO_NOT_TRUST";
}

function realPath(path: string): string {
  return attempt(() => realpathSync(path)) ?? path;
}

function folderTrustOf(settings: Readonly<Record<string, unknown>> | undefined): boolean | undefined {
  const security = isRecord(settings?.["security"]) ? settings["security"] : {};
  const trust = isRecord(security["folderTrust"]) ? security["folderTrust"] : {};
  return typeof trust["enabled"] === "boolean" ? trust["enabled"] : undefined;
}

const settingsBytesMax = 1024 * 1024;

/** Reads a JSON file with comments; a missing one is empty. Undefined if it is not an object. */
function readObject(file: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readRegularFile(file, settingsBytesMax).toString("utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? {} : undefined;
  }
  const value = attempt((): unknown => JSON.parse(text.replaceAll(stringOrComment, "$1")));
  return isRecord(value) ? value : undefined;
}

const stringOrComment = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//gu;
