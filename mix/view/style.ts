// SPDX-License-Identifier: MIT OR Apache-2.0
// Colour where a terminal shows it and nobody said NO_COLOR.
import type { OutputStream } from "../context.ts";

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

export function styleFor(
  stream: Pick<OutputStream, "isTTY">,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const coloured = stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return coloured ? colours : plain;
}

const escape = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;
const same = (text: string): string => text;

const colours: Style = {
  bold: escape(1, 22),
  dim: escape(2, 22),
  red: escape(31, 39),
  green: escape(32, 39),
  yellow: escape(33, 39),
  cyan: escape(36, 39),
};

export const plain: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };
