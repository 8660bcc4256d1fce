// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * How long the texts in a value are together, in UTF-16 units: about its size as JSON, without writing that. Counts no
 * further than `max`.
 */
export function textUnitsOf(value: unknown, max: number): number {
  let units = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && units < max) {
    const one = left.pop();
    if (typeof one === "string") units += one.length;
    else if (typeof one === "object" && one !== null) {
      for (const name in one) left.push((one as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return units;
}
