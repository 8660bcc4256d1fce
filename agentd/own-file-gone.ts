// SPDX-License-Identifier: MIT OR Apache-2.0

/** A part of agentd's own installation that is loaded when it is needed, and is not where it was when agentd started. */
export class OwnFileGone extends Error {
  override readonly name = "OwnFileGone";

  constructor(what: string, options?: ErrorOptions) {
    super(ownFileGoneMessage(what), options);
  }
}

export function ownFileGoneMessage(what: string): string {
  return `${what} is gone: agentd's own files were moved or replaced since it was started; stop agentd and start it again`;
}
