// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a service's paginated listing.

type Cursor = string | number;

export interface PaginateOptions<Page, Place extends Cursor> {
  readonly read: (after: Place | undefined) => Promise<Page>;
  /** Returns the cursor of the next page; undefined after the last one. */
  readonly next: (page: Page) => Place | undefined;
  /** The cursor to start at. Default: the beginning. */
  readonly first?: Place;
  readonly pagesMax?: number;
}

/** Yields pages until the last one, `pagesMax`, or a cursor that repeats, which would otherwise loop forever. */
export async function* paginate<Page, Place extends Cursor>(
  options: PaginateOptions<Page, Place>,
): AsyncGenerator<Page, void, undefined> {
  const { read, next, first, pagesMax = Number.POSITIVE_INFINITY } = options;
  const seen = new Set<Place | undefined>();
  let after = first;
  do {
    seen.add(after);
    const page = await read(after);
    yield page;
    after = next(page);
  } while (after !== undefined && !seen.has(after) && seen.size < pagesMax);
}
