// SPDX-License-Identifier: MIT OR Apache-2.0
// Removes the colour sequences (SGR) that programs write into their output. Every other control sequence is left, to be
// escaped by `printable`.

export function withoutColours(text: string): string {
  return introducer.test(text) ? text.replace(sequences, "") : text;
}

/** The length of an incomplete colour sequence at the text's end, which the next chunk may complete. */
export function unfinishedColour(text: string): number {
  return introducer.test(text) ? (unfinished.exec(text)?.[0].length ?? 0) : 0;
}

// eslint-disable-next-line no-control-regex
const introducer = /[\u001b\u009b]/;
// eslint-disable-next-line no-control-regex
const sequences = /(?:\u001b\[|\u009b)[\d;:]*m/g;
// eslint-disable-next-line no-control-regex
const unfinished = /(?:\u001b|(?:\u001b\[|\u009b)[\d;:]{0,64})$/;
