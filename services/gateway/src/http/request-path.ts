/** The path and the query of a request, both as sent. */
export function splitTarget(url = "/") {
  const end = url.indexOf("?");
  return end === -1 ? { path: url, query: "" } : { path: url.slice(0, end), query: url.slice(end + 1) };
}

/** Ends a path: the routers treat `#` like a query, although clients do not send it. */
const pathEnd = /[?#]/;

/** The path as the routers read it, without query and percent-encoding; empty if it cannot be decoded. */
export function pathOf(url: string): string {
  const end = url.search(pathEnd);
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
