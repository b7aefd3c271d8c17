/** What the address of a board holds: the saved view, the layout and the filters. */
export interface BoardSearch {
  view?: string;
  /** None: the board. */
  layout?: string;
  q?: string;
  /** The router parses JSON. */
  filter?: object;
  sort?: string;
  /** Of links and views before there were conditions. */
  assignee?: string;
  field?: string;
  value?: string;
}

/** The router parses `?q=2024` as a number. */
const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;

export const readBoardSearch = (search: { [name: string]: unknown }): BoardSearch => ({
  view: text(search.view),
  layout: text(search.layout),
  q: text(search.q),
  filter: typeof search.filter === 'object' && search.filter !== null ? search.filter : undefined,
  sort: text(search.sort),
  assignee: text(search.assignee),
  field: text(search.field),
  value: text(search.value),
});
