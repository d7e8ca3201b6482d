import { maxUserNameLength, userNameFault } from "@postern/shared/contracts";

/** White space, with TAB and line ends, and characters without a width: joiners, marks of direction, the byte order mark. */
const unseen = /[\s\p{Cf}]/u;

/** Autofill may add as much on either side. */
const maxTypedLength = 2 * maxUserNameLength;

function withoutEdges(text: string): string {
  const points = [...text];
  const first = points.findIndex((point) => !unseen.test(point));
  const last = points.findLastIndex((point) => !unseen.test(point));
  return points.slice(first === -1 ? points.length : first, last + 1).join("");
}

/**
 * The user name that a person typed: password managers and clipboards add characters at its edges that nobody sees. Within the name they
 * stay, and decide whether an account can have it. Empty, and therefore denied, if none can. API callers send names as they are.
 */
export function typedUserName(text: string): string {
  if (text.length > maxTypedLength) return "";
  const name = withoutEdges(text);
  return userNameFault(name) === undefined ? name : "";
}
