// SPDX-License-Identifier: MIT OR Apache-2.0
// How eagerly V8 optimises. A daemon that has just started and is flooded spends a fifth of its time in the optimising
// compiler, on the cores that the agent and its followers need as well.

/** Only for the V8 that it was measured with: a later one has a tier between, and other numbers. */
const measuredMajor = "11";

const flags = [
  /** Twice as much has to run before a function is optimised. */
  "--interrupt-budget=270000",
  /** And less is copied into it: in what handles an update, that made the compiler's work, not ours, shorter. */
  "--max-inlined-bytecode-size-cumulative=200",
];

/** These may be set while code runs, unlike those of the heap: both are read when a function is about to be compiled. */
export function compileLessEagerly(v8Version: string, setFlag: (flag: string) => void): void {
  if (v8Version.split(".")[0] !== measuredMajor) return;
  for (const flag of flags) setFlag(flag);
}
