import { contextClasses } from "../protocol/names.ts";
import type { Comparison, RequestedContext } from "./authn-request.ts";

/** Classes by strength; those in one row are equivalent. */
const ladder: readonly (readonly string[])[] = [
  [contextClasses.unspecified],
  [contextClasses.password],
  [contextClasses.passwordProtected],
  [contextClasses.timeSync, contextClasses.refedsMfa],
];

const password = 2;
const secondFactor = 3;

function strengthOf(amr: readonly string[] | undefined): number {
  return amr?.includes("mfa") === true ? secondFactor : password;
}

function strengthOfClass(name: string): number {
  return ladder.findIndex((classes) => classes.includes(name));
}

function fits(requested: number, has: number, comparison: Comparison): boolean {
  if (requested < 0) return false;
  switch (comparison) {
    case "exact":
      // A stronger sign-in may be reported with the weaker class, because it included a password.
      return requested <= has;
    case "minimum":
      return has >= requested;
    case "better":
      return has > requested;
    case "maximum":
      return has <= requested;
  }
}

/** The class that the assertion names; undefined if the sign-in meets no requested class (saml-core §3.3.2.2.1). */
export function contextClassOf(
  amr: readonly string[] | undefined,
  requested: RequestedContext | undefined,
): string | undefined {
  const has = strengthOf(amr);
  const own = has === secondFactor ? contextClasses.refedsMfa : contextClasses.passwordProtected;
  if (requested === undefined || requested.classes.length === 0) return own;
  const { comparison, classes } = requested;
  const found = classes.find((name) => fits(strengthOfClass(name), has, comparison));
  if (found === undefined) return undefined;
  return comparison === "exact" ? found : own;
}

/** Whether the sign-in would meet a requested class with a second factor. */
export function wouldFactorHelp(amr: readonly string[] | undefined, requested: RequestedContext | undefined): boolean {
  return strengthOf(amr) < secondFactor && contextClassOf(["mfa"], requested) !== undefined;
}
