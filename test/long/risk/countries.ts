import type { Location } from "@postern/shared/domain/risk";

/** A country, with shares of the users of the platform and of the machines of botnets. */
export interface Country {
  readonly code: string;
  readonly users: number;
  readonly bots: number;
  /** Hours from UTC. */
  readonly zone: number;
  /** Mobile phones that roam between countries of one area keep the addresses of their own network. */
  readonly area: string;
  readonly cities: readonly Location[];
}

type Row = readonly [code: string, users: number, bots: number, zone: number, area: string, cities: string];

/** Cities as latitude and longitude in whole degrees, as facts keep them. */
const rows: readonly Row[] = [
  ["DE", 42, 3, 1, "eu", "53 13,54 10,48 12,50 9,51 7"],
  ["AT", 8, 1, 1, "eu", "48 16,47 15,47 11"],
  ["CH", 7, 1, 1, "eu", "47 9,46 6"],
  ["FR", 8, 3, 1, "eu", "49 2,43 5,46 5,45 -1"],
  ["NL", 5, 2, 1, "eu", "52 5,52 4"],
  ["IT", 5, 4, 1, "eu", "45 9,42 13,41 14"],
  ["ES", 4, 4, 1, "eu", "40 -4,41 2,37 -6"],
  ["PL", 4, 3, 1, "eu", "52 21,50 20,54 19"],
  ["CZ", 2, 1, 1, "eu", "50 14,49 17"],
  ["SE", 2, 1, 1, "eu", "59 18,58 12"],
  ["GB", 4, 3, 0, "eu", "52 0,53 -2,56 -3"],
  ["GR", 1, 1, 2, "eu", "38 24,41 23"],
  ["TR", 1, 4, 3, "tr", "41 29,40 33,37 31"],
  ["US", 5, 8, -6, "us", "41 -74,42 -88,34 -118,30 -95,48 -122"],
  ["CA", 1, 1, -5, "us", "44 -79,49 -123"],
  ["BR", 0.5, 12, -3, "br", "-24 -47,-23 -43,-8 -35"],
  ["MX", 0.2, 4, -6, "mx", "19 -99,26 -100"],
  ["AR", 0.2, 3, -3, "ar", "-35 -58,-31 -64"],
  ["IN", 0.3, 12, 5, "in", "19 73,29 77,13 78"],
  ["VN", 0.1, 9, 7, "vn", "21 106,11 107"],
  ["ID", 0.1, 8, 7, "id", "-6 107,-7 113"],
  ["TH", 0.2, 4, 7, "th", "14 101,19 99"],
  ["RU", 0.2, 7, 3, "ru", "56 38,60 30,55 83"],
  ["UA", 0.5, 4, 2, "ua", "50 31,47 31"],
  ["NG", 0.1, 4, 1, "ng", "6 3,9 7"],
  ["EG", 0.1, 4, 2, "eg", "30 31,31 30"],
  ["ZA", 0.2, 2, 2, "za", "-26 28,-34 18"],
  ["JP", 0.3, 2, 9, "jp", "36 140,35 135"],
];

export const countries: readonly Country[] = rows.map(([code, users, bots, zone, area, cities]) => ({
  code,
  users,
  bots,
  zone,
  area,
  cities: cities.split(",").map((city) => {
    const [latitude = 0, longitude = 0] = city.split(" ").map(Number);
    return { latitude, longitude };
  }),
}));
