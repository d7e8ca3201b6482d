/** The location of an address, from the files that the operator provides. */
export interface Place {
  /** ISO 3166-1 code; empty if unknown. */
  readonly country: string;
  /** Number of the autonomous system; 0 if unknown. */
  readonly system: number;
  readonly location: Location | undefined;
}

/** Kept in whole degrees, about 110 km: precise enough to detect a flight, too coarse to locate a home. */
export interface Location {
  readonly latitude: number;
  readonly longitude: number;
}

export const unknownPlace: Place = { country: "", system: 0, location: undefined };

const earthRadiusKm = 6371;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Great-circle distance (haversine formula). */
export function distanceKm(from: Location, to: Location): number {
  const half = (a: number, b: number): number => Math.sin(radians(b - a) / 2) ** 2;
  const chord =
    half(from.latitude, to.latitude) +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * half(from.longitude, to.longitude);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(chord)));
}
