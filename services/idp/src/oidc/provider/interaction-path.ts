import { pathTo } from "@postern/shared/contracts";

/** Identifies a request in the log; only the bridge sets it. */
export const referenceHeader = "x-service-reference";

/** Identifiers of interactions; language tags in the same place of the path are shorter. */
const interactionId = /^[A-Za-z0-9_-]{43}$/;

export function isInteractionId(segment: string): boolean {
  return interactionId.test(segment);
}

/** Where the browser returns to an authorization in progress. */
export function interactionPath(uid: string): string {
  return pathTo("authorizeInLanguage", { languageTag: uid });
}

/** The interaction to which a path returns; undefined for any other path. */
export function interactionOf(path: string): string | undefined {
  const segment = path.slice(path.lastIndexOf("/") + 1);
  return isInteractionId(segment) && path === interactionPath(segment) ? segment : undefined;
}
