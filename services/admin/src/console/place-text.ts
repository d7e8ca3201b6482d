import type { AddressPlace } from "@postern/shared/contracts";
import type { Html } from "@postern/shared/platform/pages";
import { countryText, joined } from "../texts/texts.ts";

/** A country and a network owner in words. Undefined if nothing is known. */
export function placeText({ country = "", system = 0, owner = "" }: AddressPlace = {}): Html | undefined {
  const number = system === 0 ? "" : `AS${system}`;
  const network = owner === "" ? number : `${owner} (${number})`;
  if (country === "" && network === "") return undefined;
  return joined([country !== "" && countryText(country), network]);
}
