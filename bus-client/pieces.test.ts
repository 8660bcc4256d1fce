// SPDX-License-Identifier: MIT OR Apache-2.0

import { array, assert, boolean, constantFrom, property, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { receivedFrame, wholeBody } from "./broker/received-frame.ts";
import { bytesAtMost, bytesOf, joined, trimmedTail, withEnd } from "./pieces.ts";
import { publicationWriter } from "./publication.ts";
import { encodeFrame, encodeFramePieces } from "./broker/frame.ts";
import { parse } from "./wire.ts";

const words = string({
  unit: constantFrom("a", "}", "é", "😀", "\n", " ", "\u0085", "\u3000", "\u00a0", "-"),
  maxLength: 12,
});
const pieces = array(
  tuple(words, boolean()).map(([piece, bytes]) => (bytes ? Buffer.from(piece) : piece)),
  { maxLength: 5 },
);

test("pieces have the same byte count, frame and trimmed end as their joined text", () => {
  assert(
    property(pieces, (given) => {
      const whole = given.map(String).join("");
      expect(joined(given)).toBe(whole);
      expect(bytesOf(given)).toBe(Buffer.byteLength(whole));
      expect(bytesAtMost(given)).toBeGreaterThanOrEqual(Buffer.byteLength(whole));
      expect(joined(trimmedTail(given))).toBe(whole.replace(/\p{White_Space}+$/u, ""));
      expect(joined(withEnd(given))).toBe(whole === "" || whole.endsWith("\n") ? whole : `${whole}\n`);
      expect(Buffer.concat(encodeFramePieces(given)).equals(encodeFrame([whole]))).toBe(true);
      expect(encodeFrame(given).equals(encodeFrame([whole]))).toBe(true);
    }),
  );
});

test("a broker reads a publication in pieces like the same publication in one text", () => {
  const write = publicationWriter("agent");
  assert(
    property(constantFrom("a.b", "---", "x: y"), pieces, (topic, body) => {
      const { before, after, rest } = write(topic, body);
      const text = `${before}7${after}`;
      expect(text + joined(rest)).toBe(
        Object.values(write(topic, joined(body)))
          .slice(0, 2)
          .join("7"),
      );
      const whole = parse(text + joined(rest));
      const received = receivedFrame(text, rest);
      expect({ ...received, body: wholeBody(received) }).toEqual({ ...whole, rest: received.rest });
      expect(parse(received.body).body + joined(received.rest)).toBe(parse(whole.body).body);
    }),
  );
});

test("pieces are joined unless the text contains all headers of a publication", () => {
  const odd = constantFrom(
    "---\n",
    "\n---\n",
    "command: topic.publish\n",
    "command: x\n",
    "to: a\n",
    "---",
    "\n",
    "x: 1",
    " ",
  );
  assert(
    property(array(odd, { maxLength: 8 }), array(odd, { minLength: 1, maxLength: 4 }), (head, rest) => {
      const text = `---\n${head.join("")}`;
      const whole = parse(text + rest.join(""));
      const received = receivedFrame(text, rest);
      expect({ ...received, body: wholeBody(received) }).toEqual({ ...whole, rest: received.rest });
      if (received.rest.length === 0) return;
      expect(parse(received.body)).toMatchObject({ headers: parse(whole.body).headers, body: "" });
      expect(joined(received.rest)).toBe(parse(whole.body).body);
    }),
    { numRuns: 2000 },
  );
});
