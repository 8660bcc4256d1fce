// SPDX-License-Identifier: MIT OR Apache-2.0
// Which of the options that are listed a word means: one by its own id, or by its number in the list. Ids are others'
// words and may look like numbers.

export interface Option {
  readonly option: string;
}

/**
 * Where an id may be all that a person knows: a number that could mean two options means none, and the list does not
 * show it. Undefined: none of them.
 */
export function findOption(options: readonly Option[], word: string): string | undefined {
  const named = options.find(({ option }) => option === word);
  return (named ?? (canShowNumbers(options) ? optionByNumber(options, word) : undefined))?.option;
}

/** Whether the list may show numbers: no number of it is the id of another option. */
export function canShowNumbers(options: readonly Option[]): boolean {
  return options.every((one) => [undefined, one].includes(optionByNumber(options, one.option)));
}

/** By its number alone, for who was asked for one. */
export function optionByNumber<O extends Option>(options: readonly O[], word: string): O | undefined {
  return /^[1-9]\d{0,2}$/.test(word) ? options[Number(word) - 1] : undefined;
}
