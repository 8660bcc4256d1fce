// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the option that a person typed by its id or by its number in the list. Agents and services choose the ids,
// which may look like numbers.

export interface Option {
  readonly option: string;
}

/**
 * Finds an option by its id, or by its number if the list shows numbers. Returns the id, or undefined if nothing
 * matches. The list shows none if one of them could also mean another option by its id.
 */
export function findOption(options: readonly Option[], word: string): string | undefined {
  const named = options.find(({ option }) => option === word);
  return (named ?? (canShowNumbers(options) ? optionByNumber(options, word) : undefined))?.option;
}

/** Whether the list may show numbers: none of them is the id of another option. */
export function canShowNumbers(options: readonly Option[]): boolean {
  return options.every((one) => [undefined, one].includes(optionByNumber(options, one.option)));
}

/** Finds an option by its number only, counted from 1. */
export function optionByNumber<O extends Option>(options: readonly O[], word: string): O | undefined {
  return /^[1-9]\d{0,2}$/.test(word) ? options[Number(word) - 1] : undefined;
}
