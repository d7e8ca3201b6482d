import type { KeyRing } from "@postern/shared/platform/crypto";
import { compileCheck } from "@postern/shared/platform/http";
import type { Clock } from "@postern/shared/platform/time";
import { Type } from "typebox";

/** A handle lives as long as the longest session. */
const lifeMs = 8 * 3_600_000;
const longestHandle = 8192;
/** Lengths are rounded up, so that an address does not show the length of a name. */
const padding = 32;

const check = compileCheck(Type.Object({ subject: Type.String(), endMs: Type.Number() }));

const contextOf = (operator: string): string => `console subject of ${operator}`;

/** Names of accounts in addresses of pages: proxies and browsers record addresses, so these contain encrypted texts (ADR 0024). */
export function createSubjectHandles(keys: KeyRing, clock: Clock) {
  return {
    /** For one operator; each call returns another one. */
    make: (operator: string, subject: string): string => {
      const text = JSON.stringify({ subject, endMs: clock.now() + lifeMs });
      const bytes = Buffer.byteLength(text);
      const padded = text + " ".repeat(Math.ceil(bytes / padding) * padding - bytes);
      return keys.seal(padded, contextOf(operator)).toString("base64url");
    },
    /** Undefined if it has expired, was changed, or was made for another operator. */
    read: (operator: string, handle: string): string | undefined => {
      if (handle.length > longestHandle) return undefined;
      const opened = keys.open(Buffer.from(handle, "base64url"), contextOf(operator));
      const value: unknown = opened === undefined ? undefined : JSON.parse(opened.toString("utf8"));
      return check.accepts(value) && value.endMs > clock.now() ? value.subject : undefined;
    },
  };
}

export type SubjectHandles = ReturnType<typeof createSubjectHandles>;
