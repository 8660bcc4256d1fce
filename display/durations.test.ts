// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { durationMsMax, readDuration, readSize } from "./durations.ts";

test.each([
  ["1ms", 1],
  ["90s", 90_000],
  ["10m", 600_000],
  ["30m", 1_800_000],
  ["1.5h", 5_400_000],
  ["1h30m", 5_400_000],
  ["1d2h3m4s5ms", 93_784_005],
  ["5m5ms", 300_005],
  [" 2h ", 7_200_000],
  ["1w1d", 691_200_000],
  ["24d", durationMsMax],
])("the duration %j is %i ms", (written, value) => {
  expect(readDuration(written)).toEqual({ ok: true, value });
});

test.each([
  0,
  -1,
  600,
  Number.NaN,
  Infinity,
  1e12,
  null,
  undefined,
  true,
  {},
  "",
  " ",
  "0s",
  "0h0m",
  "-5m",
  "+5m",
  "NaN",
  "nan",
  "Infinity",
  "none",
  "10",
  "10 minutes",
  "1m1h",
  "1s1s",
  "5M",
  "1e3s",
  "0x10s",
  ".5s",
  "5.s",
  "0.4ms",
  "24d1ms",
  "25d",
  "30d",
  "4w",
  "1d1w",
  "1000000000000s",
  `${"9".repeat(400)}s`,
  "１０m",
])("%j is refused as a duration", (written) => {
  const reading = readDuration(written);
  expect(reading.ok).toBe(false);
});

test("every accepted duration fits a timer", () => {
  const parts = fc.array(
    fc.oneof(fc.constantFrom("d", "h", "m", "s", "ms", "-", ".", " ", "e"), fc.integer().map(String)),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((pieces) => pieces.join("")),
      ),
      (written) => {
        const reading = readDuration(written);
        const waitable = reading.ok && Number.isInteger(reading.value) && reading.value >= 1 && reading.value < 2 ** 31;
        expect(waitable || (!reading.ok && reading.reason !== "")).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a whole number is multiplied by its unit", () => {
  const units = fc.constantFrom(["ms", 1] as const, ["s", 1e3] as const, ["m", 6e4] as const, ["h", 36e5] as const);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), units, (count, [unit, ms]) => {
      expect(readDuration(`${count}${unit}`)).toEqual({ ok: true, value: count * ms });
    }),
  );
});

test.each([
  ["1B", 1],
  ["10GB", 10_000_000_000],
  ["10 gb", 10_000_000_000],
  ["1.5kB", 1_500],
  ["1KiB", 1_024],
  ["512MiB", 536_870_912],
  ["2TiB", 2_199_023_255_552],
])("the size %j is %i bytes", (written, value) => {
  expect(readSize(written)).toEqual({ ok: true, value });
});

test.each([
  10,
  Number.NaN,
  null,
  "",
  "10",
  "0GB",
  "-1GB",
  "0.1B",
  "10G",
  "10Gib/s",
  "NaNGB",
  "InfinityGB",
  "9007199254740992B",
  "99999TB0",
])("%j is refused as a size", (written) => {
  expect(readSize(written).ok).toBe(false);
});
