// SPDX-License-Identifier: MIT OR Apache-2.0
// Names for a test's users on the Bus. One without a name may do nearly everything, but not answer for people.

let made = 0;

/** Of its options, a client's name: null gives it none. */
export function nameOf(given: string | null | undefined): { readonly name?: string } {
  if (given === null) return {};
  return { name: given ?? `user-${(made += 1)}` };
}
