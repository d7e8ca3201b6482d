/** The generators replace it with the number of the request. */
export const serialMark = "@serial-----@";
