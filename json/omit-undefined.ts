// SPDX-License-Identifier: MIT OR Apache-2.0
/** Copies an object without its undefined members, so that they are absent in memory as they are on the wire. */
export function omitUndefined<const T extends object>(value: T): T {
  // Copies instead of deleting, which would make the object slow.
  const kept: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    if (value[key] !== undefined) kept[key] = value[key];
  }
  return kept as T;
}
