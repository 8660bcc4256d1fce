// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Paste, PasteSplitter, withoutControls } from "./paste-splitter.ts";

const start = "\u001b[200~";
const end = "\u001b[201~";

/** Reads the chunks; the terminal is quiet after the last one. */
function read(chunks: readonly string[], unitsMax = 1_000): { keys: string; paste: Paste | undefined } {
  const splitter = new PasteSplitter(unitsMax);
  const keys = chunks.map((chunk) => splitter.push(chunk)).join("");
  return { keys, paste: splitter.awaitsQuiet ? splitter.end() : undefined };
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return at.slice(1).map((to, index) => text.slice(at[index], to));
}

test("keys and a paste are told apart however the input is cut", () => {
  const piece = fc.array(fc.constantFrom("a", "\r", "\u001b", "[", "2", "00~", "01~", "日"), { maxLength: 12 });
  const text = piece
    .map((parts) => parts.join(""))
    .filter(
      (one) => !one.includes("\u001b[20") && !["\u001b", "\u001b[", "\u001b[2"].some((begun) => one.endsWith(begun)),
    );
  fc.assert(
    fc.property(text, text, fc.array(fc.nat(), { maxLength: 6 }), (keys, pasted, places) => {
      const chunks = cut(`${keys}${start}${pasted}${end}`, places);
      const seen = read(chunks);
      // Cut right behind the Escape of its marker, a paste begins with the Escape key.
      expect(seen.keys === `${keys}\u001b` ? keys : seen.keys).toBe(keys);
      expect(seen.paste).toEqual({ text: pasted, length: pasted.length });
    }),
    { numRuns: 2_000 },
  );
});

test("keys without a paste all arrive, an Escape at once", () => {
  const splitter = new PasteSplitter(10);
  expect(["\u001b", "b", "\u001b", "[A", "x\u001b[", "B"].map((chunk) => splitter.push(chunk))).toEqual([
    "\u001b",
    "b",
    "\u001b",
    "[A",
    "x",
    "\u001b[B",
  ]);
});

test("a false end within a paste ends nothing: what follows at once is text, Enter too", () => {
  const { keys, paste } = read([`${start}rm ${end}\r-rf`, `\rmore${end}`]);
  expect(keys).toBe("");
  expect(withoutControls(paste?.text ?? "")).toBe("rm \n-rf\nmore");
});

test("two pastes at once are one text", () => {
  expect(read([`${start}one${end}${start}two${end}`]).paste?.text).toBe("onetwo");
});

test("a paste over the limit is counted and not kept", () => {
  expect(read([start, ..."0123456789".split(""), `x${end}`], 10).paste).toEqual({ text: undefined, length: 11 });
  expect(read([`${start}0123456789${end}`], 10).paste?.text).toBe("0123456789");
});

test.each([
  ["line ends become line feeds", "a\r\nb\rc\nd", "a\nb\nc\nd"],
  [
    "colours, links and titles are left out",
    "\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]0;t\u001b\\",
    "red link",
  ],
  ["so are other control characters, but no tabs", "a\tb\u0000\u0003\u007f\u009bmc", "a\tbc"],
  ["an unfinished title takes nothing else away", "a\u001b]0;b\nc", "a0;b\nc"],
])("of a paste, %s", (_what, pasted, text) => {
  expect(withoutControls(pasted)).toBe(text);
});

test("a cleaned paste has no control character except line feeds and tabs, and a megabyte takes no time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      // eslint-disable-next-line no-control-regex
      expect(withoutControls(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
  const began = performance.now();
  withoutControls("\u001b]".repeat(250_000) + "\u001b[".repeat(250_000));
  expect(performance.now() - began).toBeLessThan(2_000);
});
