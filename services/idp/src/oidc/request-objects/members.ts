import { decodeJwt, type JWTPayload } from "jose";

/** The members of a request object, not verified; undefined if it is not a JWT. */
export function membersOf(object: string): JWTPayload | undefined {
  try {
    return decodeJwt(object);
  } catch {
    return undefined;
  }
}
