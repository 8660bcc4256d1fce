// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { colours, plain, rendered, type Style } from "../../display/styled.ts";
import { displayWidth } from "../../display/width.ts";
import { colouredScreenOf, screenOf } from "../testing/screen.ts";
import { MarkdownStream, type MarkdownOptions } from "./markdown.ts";

const roles = [
  "strong",
  "emphasis",
  "struck",
  "heading",
  "link",
  "code",
  "faint",
  "added",
  "removed",
] as const satisfies readonly (keyof Style)[];
/** Shows roles as `<role:…>`. */
const named = Object.assign(
  { ...colours },
  ...roles.map((role) => ({ [role]: (text: string) => `<${role}:${rendered(text)}>` })),
) as Style;

function drawn(text: string, options: Partial<MarkdownOptions> = {}): string {
  const stream = new MarkdownStream({ style: plainButMarked, columns: 30, ...options });
  return rendered(stream.write(text)) + rendered(stream.end());
}

/** Without colours, and without the marks that stand in for them. */
const plainButMarked: Style = { ...plain };

test.each([
  ["heading", "# One *two*\n### Three", "<heading:One> <heading:<emphasis:two>>\n<strong:Three>\n"],
  [
    "emphasis",
    "a **b** *c* ***d*** _e_ __f__ ~~g~~",
    "a <strong:b> <emphasis:c> <emphasis:<strong:d>> <emphasis:e> <strong:f> <struck:g>\n",
  ],
  ["nested emphasis", "**a *b* `c`**", "<strong:a> <emphasis:<strong:b>> <code:<strong:c>>\n"],
  ["no emphasis", "2 * 3 * 4 **kwargs snake_case_name __init__", "2 * 3 * 4 **kwargs snake_case_name <strong:init>\n"],
  ["unfinished marks", "**bold and `code and [text", "**bold and `code and [text\n"],
  ["marks end with their line", "**bold\nnext** line", "**bold\nnext** line\n"],
  ["code spans", "`a*b*` ``c`d`` ` e `", "<code:a*b*> <code:c`d> <code:e>\n"],
  ["escapes", "\\*a\\* \\a 1\\.", "*a* \\a 1.\n"],
  [
    "links",
    "[a *b*](http://x.y/z_(1)) ![i](i.png) [c](c) [d] [e](f g)",
    "<link:a> <link:<emphasis:b>><faint: (http://x.y/z_(1))> <link:i><faint: (i.png)> <link:c> [d] [e](f g)\n",
  ],
  ["raw HTML", "<b>a</b> <script>x</script> &amp; <!-- c -->", "<b>a</b> <script>x</script> &amp; <!-- c -->\n"],
  ["rules", "***\na\n- - -\n---", "<faint:RULE>\na\n<faint:RULE>\n<faint:RULE>\n"],
  ["quotes", "> a\n> > b\n>\n> c\n\nd", "<faint:│ >a\n<faint:│ │ >b\n<faint:│ >\n<faint:│ >c\n\nd\n"],
  ["code", "```js\nx *y*\n\n  z\n```\nq", "  <code:x *y*>\n\n  <code:  z>\nq\n"],
  ["a diff", "~~~diff\n+a\n-b\n c\n~~~", "  <added:+a>\n  <removed:-b>\n  <code: c>\n"],
  ["code that does not end", "````\n```\nx", "  <code:```>\n  <code:x>\n"],
  ["code by indentation", "a\n\n    b\n    *c*\n\nd", "a\n\n  <code:b>\n  <code:*c*>\n\nd\n"],
  ["empty lines", "a\n\n\n\nb\n\n\n", "a\n\nb\n"],
] as const)("%s", (_what, text, expected) => {
  expect(drawn(text, { style: named, columns: 200 })).toBe(expected.replaceAll("RULE", "─".repeat(40)));
});

test.each([
  ["nested lists", "- a\n  - b\n    1. c\n- d\n2) e", ["• a", "  • b", "    1. c", "• d", "2) e"]],
  ["loosely indented lists", "1. a\n  - b\n 2. c\n   more", ["1. a", "   • b", "2. c", "   more"]],
  ["tasks", "- [ ] a\n- [x] b\n- [link]", ["☐ a", "☑ b", "• [link]"]],
  ["an item's paragraphs", "- a\n\n  b\n\nc", ["• a", "", "  b", "", "c"]],
  ["code in an item", "1. a\n   ```\n   x\n     y\n   ```\n2. b", ["1. a", "     x", "       y", "2. b"]],
  ["a list in a quote", "> - a\n>   - b\n> c", ["│ • a", "│   • b", "│ c"]],
  ["a quote in a list", "- a\n  > b\n- c", ["• a", "  │ b", "• c"]],
  [
    "hanging indents",
    `- ${"word ".repeat(8)}\n> ${"word ".repeat(8)}`,
    ["• word word word word word", "  word word word", "│ word word word word word", "│ word word word"],
  ],
  ["an empty item", "-\n- a", ["• ", "• a"]],
  ["what only begins like something", "#a\n-b\n1.c\n--\n>\n+", ["#a", "-b", "1.c", "--", "", "• "]],
  ["tabs", "-\ta\n\t- b\n\tc", ["• a", "  • b", "  c"]],
])("%s", (_what, text, expected) => {
  expect(drawn(text).split("\n").slice(0, -1)).toEqual(expected);
});

const table = "| Name | Lines |\n|:--|--:|\n| `a` | 1 |\n| much longer | 20 |\n";

test.each([
  [
    "at its own width",
    table,
    30,
    ["Name        │ Lines", "────────────┼──────", "a           │     1", "much longer │    20"],
  ],
  ["wrapped", table, 14, ["Name   │ Lines", "───────┼──────", "a      │     1", "much   │    20", "longer │"]],
  ["of wide characters", "|日本|x|\n|--|--|\n|a|語|", 30, ["日本 │ x", "─────┼───", "a    │ 語"]],
  [
    "with cells that are missing or too many",
    "|a|b|\n|-|-|\n|1|\n|1|2|3|",
    30,
    ["a │ b │", "──┼───┼──", "1 │   │", "1 │ 2 │ 3"],
  ],
  ["with a bar in a cell", "|a|\n|-|\n|x \\| y|", 30, ["a", "─────", "x | y"]],
  ["in an item", "- t\n\n  |a|\n  |-|\n  |1|\n", 30, ["• t", "", "  a", "  ─", "  1"]],
  [
    "with too many columns",
    `|${"abc|".repeat(9)}\n|${"-|".repeat(9)}\n|${"1|".repeat(9)}`,
    20,
    Array(9).fill("abc: 1"),
  ],
  ["without a second row", "| a | b |", 30, ["| a | b |"]],
  ["that is none", "| a | b |\nc", 30, ["| a | b |", "c"]],
])("a table %s", (_what, text, columns, expected) => {
  const rows = drawn(text, { columns }).trimEnd().split("\n");
  expect(rows.map((row) => row.trimEnd())).toEqual(expected);
  for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
});

const sample = [
  "# Title *it*\n\nSome **bold text** and `code` with [a link](https://example.org/x) to it.\n",
  "1. first item that is long enough to be wrapped\n   - nested **item** too\n2. second\n\n",
  "> quoted text that is wrapped as well\n>\n> more\n\n```diff\n+added\n-removed with many words in it\n```\n",
  table,
  "\n---\n- [x] done\n\u001b[31mred\u001b[0m \u001b[2Jcleared\r\n日本語の長い文章です。👩\u200d🚀 e\u0301 **unfinished `marks\n",
  "| no table |\n    *not code*\n~~~\nend",
];

const cut = (text: string, cuts: readonly number[]): string[] => {
  const places = [0, ...cuts.map((one) => one % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
};

const markdown = fc.oneof(
  fc.shuffledSubarray(sample).map((parts) => parts.join("")),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from("ab *_`#->|~[]()!\\1.\n\n \t日\u001b[3m"),
      "**",
      "```",
      "\n\n",
      "|-|",
      "- ",
      "> ",
    ),
    maxLength: 60,
  }),
);

test("however a text is cut into chunks, and wherever it pauses, the screen is the same in the end", () => {
  const cuts = fc.array(fc.nat(2_000), { maxLength: 40 });
  const columns = fc.integer({ min: 12, max: 60 });
  fc.assert(
    fc.property(markdown, cuts, columns, fc.boolean(), fc.boolean(), (text, places, width, pauses, isLiteral) => {
      const whole = new MarkdownStream({ style: colours, columns: width, isLiteral });
      const expected = rendered(whole.write(text)) + rendered(whole.end());
      const pieces = new MarkdownStream({ style: colours, columns: width, isLiteral });
      let written = "";
      for (const piece of cut(text, places)) {
        written += rendered(pieces.write(piece));
        if (pauses) written += rendered(pieces.flush());
        expect(pieces.column).toBe(displayWidth(screenOf(written).at(-1) ?? ""));
      }
      written += rendered(pieces.end());
      expect(colouredScreenOf(written)).toEqual(colouredScreenOf(expected));
    }),
    { numRuns: 400 },
  );
});

test("no text is lost, and no row is wider than the screen", () => {
  const words = fc.stringMatching(/^[a-z]{1,9}$/);
  const line = fc.tuple(
    fc.constantFrom("", "- ", "> ", "# ", "1. ", "  - ", "    ", "| ", "```\n", "**", "`", "["),
    fc.array(words, { maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 12, max: 40 }), (lines, columns) => {
      const text = lines.map(([mark, some]) => mark + some.join(" ")).join("\n");
      const rows = drawn(text, { columns }).split("\n");
      for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
      const letters = (one: string): string => one.replace(/[^a-z]/g, "");
      // The language of a code block is the one text that is not drawn.
      const shown = text.replaceAll(/^```[^`\n]*$/gm, "");
      expect(letters(rows.join(""))).toBe(letters(shown));
    }),
    { numRuns: 300 },
  );
});

test("a pause shows the last word, and what follows goes on in it", () => {
  const stream = new MarkdownStream({ style: plainButMarked, columns: 12 });
  let written = rendered(stream.write("one two thr"));
  expect(screenOf(written)).toEqual(["one two"]);
  written += rendered(stream.flush());
  expect(screenOf(written)).toEqual(["one two thr"]);
  expect(rendered(stream.flush())).toBe("");
  written += rendered(stream.write("eeeee and"));
  expect(screenOf(written)).toEqual(["one two", "threeeee"]);
  written += rendered(stream.flush());
  expect(screenOf(written)).toEqual(["one two", "threeeee and"]);
});

test("a pause before a combining mark in a word longer than the row draws the mark once", () => {
  const stream = new MarkdownStream({ style: plainButMarked, columns: 12 });
  let written = "";
  for (const chunk of ["/a/very/long/path/caf", "e", "\u0301", "s"]) {
    written += rendered(stream.write(chunk)) + rendered(stream.flush());
  }
  expect(screenOf(written + rendered(stream.end()))).toEqual(["/a/very/long", "/path/cafe\u0301s", ""]);
});

test("a pause within an emphasis shows it emphasized, and within a table nothing of it", () => {
  const stream = new MarkdownStream({ style: named, columns: 40 });
  expect(rendered(stream.write("a **b c"))).toBe("a");
  expect(rendered(stream.flush())).toBe(" <strong:b c>");
  stream.write("d**\n| x |\n|--|\n| y");
  expect(rendered(stream.flush())).toBe("");
  expect(screenOf(rendered(stream.end()))).toEqual(["<strong:x>", `<faint:${"─".repeat(10)}>`, "y", ""]);
});

test("text after an interruption of its row goes on in the next row, in code too", () => {
  const stream = new MarkdownStream({ style: named, columns: 40 });
  stream.write("- a\n\n  ```\n  x = ");
  expect(rendered(stream.end())).toBe("\n");
  expect(rendered(stream.write("1\n  y\n  ```\n- b")) + rendered(stream.end())).toBe(
    "      <code:1>\n    <code:y>\n• b\n",
  );
});

test("a paint and marks for the rows belong to thoughts and prompts; a prompt is not read as Markdown", () => {
  const first = { text: "✻ ", paint: undefined };
  const looks = { first, further: "  ", columns: 14 };
  expect(drawn("- aaaa bbbb cccc\n- d", looks)).toBe("✻ • aaaa bbbb\n    cccc\n  • d\n");
  expect(drawn("- *a* bbbb cccc\n\n# d", { ...looks, isLiteral: true })).toBe("✻ - *a* bbbb\n  cccc\n\n  # d\n");
});

test("without colours the marks that colours stand for are kept", () => {
  expect(drawn("## a\n**b** `c` *d*\n- e", { style: plain })).toBe("## a\n**b** `c` *d*\n• e\n");
});

test("a flood without line feeds or spaces, or in one table, takes linear time and bounded memory", () => {
  const stream = new MarkdownStream({ style: colours, columns: 80 });
  for (let count = 0; count < 1_000; count += 1) stream.write("x".repeat(100));
  for (let count = 0; count < 1_000; count += 1) stream.write("日本語`");
  for (let count = 0; count < 1_000; count += 1) stream.write("\n| a | b |");
  expect(stream.column).toBeLessThanOrEqual(80);
});
