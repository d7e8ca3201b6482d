/** An entity ID as it is compared: scheme and host in lower case, no slash at the end, no fragment (behaviour reference §3.1). */
export function sameEntity(entityId: string): string {
  const url = /^https?:/i.test(entityId) ? URL.parse(entityId) : null;
  if (url === null) return entityId;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}
