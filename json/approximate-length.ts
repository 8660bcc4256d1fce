// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * Estimates the length of a value as JSON, in UTF-16 units, without serializing it: the lengths of its strings and
 * names, plus one unit per value. Accepts any depth, and stops counting beyond `max`.
 */
export function approximateLength(value: unknown, max: number): number {
  let length = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && length + left.length <= max) {
    const one = left.pop();
    length += typeof one === "string" ? one.length + 1 : 1;
    if (Array.isArray(one)) {
      for (let index = 0; index < one.length && length + left.length <= max; index += 1) left.push(one[index]);
    } else if (typeof one === "object" && one !== null) {
      for (const name in one) {
        length += name.length;
        left.push((one as Readonly<Record<string, unknown>>)[name]);
      }
    }
  }
  return length + left.length;
}
