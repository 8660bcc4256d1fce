// SPDX-License-Identifier: MIT OR Apache-2.0
// A listing of a service, page by page.

type Cursor = string | number;

export interface PaginateOptions<Page, Place extends Cursor> {
  readonly read: (after: Place | undefined) => Promise<Page>;
  /** Where it goes on; undefined after the last page. */
  readonly next: (page: Page) => Place | undefined;
  /** Where it begins, if not at the beginning. */
  readonly first?: Place;
  readonly pagesMax?: number;
}

/** A service whose pages lead back to where one has been would be read for ever: that ends the listing, too. */
export async function* paginate<Page, Place extends Cursor>(
  options: PaginateOptions<Page, Place>,
): AsyncGenerator<Page, void, undefined> {
  const { read, next, first, pagesMax = Number.POSITIVE_INFINITY } = options;
  const begun = new Set<Place | undefined>();
  let after = first;
  do {
    begun.add(after);
    const page = await read(after);
    yield page;
    after = next(page);
  } while (after !== undefined && !begun.has(after) && begun.size < pagesMax);
}
