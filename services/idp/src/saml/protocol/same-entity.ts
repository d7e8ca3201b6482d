/** Normalises an entity ID for comparison: scheme and host in lower case, no trailing slash, no fragment. */
export function sameEntity(entityId: string): string {
  const url = /^https?:/i.test(entityId) ? URL.parse(entityId) : null;
  if (url === null) return entityId;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}
