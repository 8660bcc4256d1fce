// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * About how long a value is as JSON, in UTF-16 units, without writing that: its texts and names, and one unit for each
 * value. It takes any depth, and stops where it is known to be more than `max`.
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
