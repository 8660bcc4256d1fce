// SPDX-License-Identifier: MIT OR Apache-2.0
import type { CatalogueErrorCode } from "../vocabulary/catalogue-change.ts";

/** An expected failure of a change to the catalogue. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
  readonly code: CatalogueErrorCode;

  constructor(code: CatalogueErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
