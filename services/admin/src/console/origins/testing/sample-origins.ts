import type { SignInOrigins } from "@postern/shared/contracts";

const countries = [
  "DE",
  "AT",
  "CH",
  "FR",
  "US",
  "NG",
  "CN",
  "SG",
  "HK",
  "BR",
  "IN",
  "VN",
  "RU",
  "NL",
  "GB",
  "ID",
  "ZA",
  "MX",
];
const owners = [
  "Example Cable",
  "Example Mobile",
  "Cloud Example LLC",
  "Example Hosting B.V.",
  "University of Example",
  "Example Backbone Communications",
];

/** A site in Germany while a botnet guesses. */
export const sampleOrigins: SignInOrigins = {
  range: "24h",
  since: "2030-05-05T14:00:00.000Z",
  places: "known",
  all: { ok: 61_420, refused: 20_866 },
  countries: countries.map((country, index) => ({
    country,
    ok: index < 5 ? Math.round(60_000 / (index + 1) ** 3) : index % 3,
    refused: index < 5 ? 90 - 11 * index : Math.round(9000 / (index - 4)),
  })),
  unknown_country: { ok: 212, refused: 31 },
  systems: Array.from({ length: 24 }, (_, index) => ({
    system: 64_500 + index,
    ...(index !== 9 && { owner: owners[index % owners.length] ?? "" }),
    ok: index < 4 ? Math.round(40_000 / (index + 1) ** 2) : 0,
    refused: index < 4 ? 70 - index : Math.round(7000 / (index - 3)),
  })),
  other_systems: { ok: 90, refused: 411 },
  unknown_system: { ok: 212, refused: 31 },
};
