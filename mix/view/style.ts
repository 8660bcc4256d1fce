// SPDX-License-Identifier: MIT OR Apache-2.0
// Colour where a terminal shows it and nobody said NO_COLOR.
import { colours, plain, type Style } from "../../display/styled.ts";
import type { TextOutput } from "../../display/text-output.ts";

export function styleFor(
  { isTTY }: Pick<TextOutput, "isTTY">,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  return isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" ? colours : plain;
}
