import { malformed } from "../read-request.ts";
import { type Subject, subjectOf } from "./subject.ts";

/** An address, or a network whose sign-ins are recorded as those of one. @throws AppError REQUEST_MALFORMED */
export function placeIn(text: string): Extract<Subject, { readonly kind: "address" | "network" }> {
  const subject = subjectOf(text);
  if (subject.kind !== "address" && subject.kind !== "network")
    throw malformed("network: must be an IP address or a network in CIDR notation");
  if (subject.kind === "network" && subject.isWide)
    throw malformed("network: must be an IPv4 /24, an IPv6 /48 or a network within one");
  return subject;
}
