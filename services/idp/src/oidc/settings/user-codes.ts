import { typedCode } from "@postern/shared/contracts";
import type { RegionCalls } from "@postern/shared/domain/region-calls";

const grouped = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, "$1-");

/** How the provider makes user codes: of 20 capital letters without vowels (RFC 8628 §6.1), in groups of four. */
export const userCodeForm = (length: number) => ({ charset: "base-20", mask: grouped("*".repeat(length)) }) as const;

const longestCode = 64;
const letters = (text: string): string => typedCode(text).replaceAll(/[^A-Z0-9]/g, "");

interface TypedUserCode {
  /** The stored form: only capital letters. */
  readonly userCode: string;
  /** The other region whose device shows this code. */
  readonly elsewhere: string | undefined;
}

/** Codes as devices show them and users type them. Where there are several regions, they begin with the name of theirs. */
export function createUserCodes(
  calls: Pick<RegionCalls, "name" | "regions" | "elsewhere"> | undefined,
  codeLength: () => number,
) {
  return {
    /** The region that the link to the page names; undefined if there is one only. */
    region: calls?.name,
    /** `userCode`: in any form. */
    shown: (userCode: string): string => {
      const groups = grouped(userCode.replaceAll("-", ""));
      return calls === undefined ? groups : `${calls.name.toUpperCase()}-${groups}`;
    },
    /** RFC 8628 §6.1: case and separators are ignored. */
    typed: (text: string): TypedUserCode => {
      const all = text.length > longestCode ? "" : letters(text);
      const place = all.length - codeLength();
      const region = calls?.regions.find((name) => letters(name) === all.slice(0, Math.max(0, place)));
      if (region === undefined) return { userCode: all, elsewhere: undefined };
      return { userCode: all.slice(place), elsewhere: calls?.elsewhere(region) };
    },
  };
}

export type UserCodes = ReturnType<typeof createUserCodes>;
