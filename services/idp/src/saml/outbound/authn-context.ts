import type { Comparison } from "../inbound/authn-request.ts";
import { contextClasses } from "../names.ts";

/** Classes by strength; those of one row stand for the same. */
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

function fits(asked: number, has: number, comparison: Comparison): boolean {
  if (asked < 0) return false;
  switch (comparison) {
    case "exact":
      // A stronger sign-in may say the weaker class: a password was shown as well.
      return asked <= has;
    case "minimum":
      return has >= asked;
    case "better":
      return has > asked;
    case "maximum":
      return has <= asked;
  }
}

export interface RequestedContext {
  readonly comparison: Comparison;
  readonly classes: readonly string[];
}

/** The class that the assertion names; undefined when the sign-in is none of those asked for (saml-core §3.3.2.2.1). */
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

/** Whether a second factor would make the sign-in one of those asked for. */
export function wouldFactorHelp(amr: readonly string[] | undefined, requested: RequestedContext | undefined): boolean {
  return strengthOf(amr) < secondFactor && contextClassOf(["mfa"], requested) !== undefined;
}
