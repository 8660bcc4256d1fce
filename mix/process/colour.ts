// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides whether output has colours: the flag --color, then the variables that other programs have for it, then the
// terminal.
import { colours, plain, type Style } from "../../display/styled.ts";
import { type Context, wordsBeforeDashes } from "./context.ts";

export function styleOf(context: Parameters<typeof wantsColour>[0]): Style {
  return wantsColour(context) ? colours : plain;
}

/** NO_COLOR comes before FORCE_COLOR, as in Python: who switches colours off must be obeyed. */
export function wantsColour({ words, env, stdout }: Pick<Context, "words" | "env" | "stdout">): boolean {
  const wish = colourWish(words);
  if (wish !== "auto") return wish === "always";
  if (isSet(env["NO_COLOR"])) return false;
  const forced = [env["FORCE_COLOR"], env["CLICOLOR_FORCE"]].find(isSet);
  if (forced !== undefined) return !offValues.has(forced);
  return stdout.isTTY && env["TERM"] !== "dumb" && env["CLICOLOR"] !== "0";
}

/** Reads `--color` from the words: it must be known before they are parsed. Another value is refused then. */
function colourWish(words: readonly string[]): ColourWish {
  const own = wordsBeforeDashes(words);
  const at = own.findLastIndex((word) => word === "--color" || word.startsWith("--color="));
  const value = own[at]?.slice("--color=".length) || own[at + 1];
  return (at >= 0 && colourWishes.find((wish) => wish === value)) || "auto";
}

type ColourWish = (typeof colourWishes)[number];
export const colourWishes = ["auto", "always", "never"] as const;

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

const offValues: ReadonlySet<string> = new Set(["0", "false"]);
