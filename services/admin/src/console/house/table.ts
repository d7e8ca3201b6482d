import { type Html, html } from "@postern/shared/platform/pages";

/** How the server sorts the rows by this column. */
export interface ColumnSort {
  /** The order of the rows shown; undefined: they are sorted by another column. */
  readonly order: "ascending" | "descending" | undefined;
  /** Address of the same rows in the other order, or sorted by this column. */
  readonly href: string;
  /** What the link does, for people who do not see the arrow. */
  readonly hint: Html;
}

export interface Column<Row> {
  readonly name: Html;
  readonly cell: (row: Row) => Html | string | number | undefined;
  /** Digits stand below each other. */
  readonly isNumber?: boolean;
  readonly sort?: ColumnSort;
}

export interface Table<Row> {
  /** What the rows are, for people who do not see the heading. */
  readonly label: Html;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What a row opens, below it. */
  readonly below?: (row: Row) => Html | undefined;
}

const arrows = { ascending: "↑", descending: "↓" } as const;

function head<Row>({ name, isNumber, sort }: Column<Row>): Html {
  const number = isNumber === true && html` class="number"`;
  if (sort === undefined) return html`<th scope="col"${number}>${name}</th>`;
  const { order, href, hint } = sort;
  return html`<th scope="col"${number}${order !== undefined && html` aria-sort="${order}"`}><a href="${href}" aria-label="${name}: ${hint}">${name}${
    order !== undefined && html` <span aria-hidden="true">${arrows[order]}</span>`
  }</a></th>`;
}

/** On a phone the cells stand below each other, each with the name of its column. */
function cell<Row>({ name, cell: write, isNumber }: Column<Row>, row: Row): Html {
  const content = write(row);
  return html`<td data-column="${name}"${isNumber === true && html` class="number"`}>${
    content !== undefined && content !== "" && html`<div>${content}</div>`
  }</td>`;
}

/** Rows with a header that stays in sight. */
export function table<Row>({ label, columns, rows, below }: Table<Row>): Html {
  return html`<table class="rows" aria-label="${label}"><thead><tr>${columns.map((column) => head(column))}</tr></thead><tbody>${rows.map(
    (row) => {
      const opened = below?.(row);
      return html`<tr>${columns.map((column) => cell(column, row))}</tr>${
        opened !== undefined && html`<tr class="acts-row"><td colspan="${columns.length}">${opened}</td></tr>`
      }`;
    },
  )}</tbody></table>`;
}
