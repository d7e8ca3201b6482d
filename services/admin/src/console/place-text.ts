import type { AddressPlace } from "@postern/shared/contracts";

const countries = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** A country and a network owner in words. Empty if nothing is known. */
export function placeText({ country = "", system = 0, owner = "" }: AddressPlace = {}): string {
  const name = /^[A-Z]{2}$/u.test(country) ? countries.of(country) : country;
  const number = system === 0 ? "" : `AS${system}`;
  const network = owner === "" ? number : `${owner} (${number})`;
  return [name ?? "", network].filter((part) => part !== "").join(", ");
}
