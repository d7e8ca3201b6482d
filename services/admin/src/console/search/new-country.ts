import type { AddressPlace } from "@postern/shared/contracts";
import type { RecordedDecision } from "@postern/shared/domain/history";

type PlaceOf = (address: string) => AddressPlace;

/** Whether the password or other credential was correct. */
export const isCorrect = ({ outcome, reason }: RecordedDecision): boolean => outcome === "ok" || reason === "risk";

/**
 * Sign-ins with the correct password from a country from which no earlier one of the account is recorded. The first that is recorded is none.
 *
 * @param records of one account
 */
export function fromNewCountry(records: readonly RecordedDecision[], placeOf: PlaceOf): ReadonlySet<RecordedDecision> {
  const known = new Set<string>();
  const found = new Set<RecordedDecision>();
  for (const record of records.filter(isCorrect).toSorted((one, other) => one.firstMs - other.firstMs)) {
    const { country } = placeOf(record.clientIp);
    if (country === undefined || known.has(country)) continue;
    if (known.size > 0) found.add(record);
    known.add(country);
  }
  return found;
}

/** Addresses of the sign-ins that the above compares. */
export const correctAddresses = (records: readonly RecordedDecision[]): readonly string[] =>
  records.filter(isCorrect).map(({ clientIp }) => clientIp);
