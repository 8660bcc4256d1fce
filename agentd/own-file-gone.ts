// SPDX-License-Identifier: MIT OR Apache-2.0

/** A file of agentd's installation is missing that is loaded only when needed: it was moved since agentd started. */
export class OwnFileGone extends Error {
  override readonly name = "OwnFileGone";

  constructor(what: string, options?: ErrorOptions) {
    super(ownFileGoneMessage(what), options);
  }
}

export function ownFileGoneMessage(what: string): string {
  return `${what} is gone: agentd's own files were moved or replaced since it was started; stop agentd and start it again`;
}
