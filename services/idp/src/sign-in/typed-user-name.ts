import { maxUserNameLength, userNameFault } from "@postern/shared/contracts";

/** White space, with TAB and line ends, and characters without a width: joiners, marks of direction, the byte order mark. */
const unseenEdges = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

/** Room for what autofill adds; more would take the pattern too long. */
const maxTypedLength = 2 * maxUserNameLength;

/**
 * The user name that a person typed: password managers and clipboards add characters at its edges that are not visible. Within the name they
 * stay, and decide whether an account can have it. Empty, and therefore denied, if none can. API callers send names as they are.
 */
export function typedUserName(text: string): string {
  if (text.length > maxTypedLength) return "";
  const name = text.replace(unseenEdges, "");
  return userNameFault(name) === undefined ? name : "";
}
