import type { Explanation, Sentence } from "@postern/shared/contracts";
import type { AccountChanges, RecordedDecision } from "@postern/shared/domain/history";
import type { Locate } from "@postern/shared/domain/places";
import type { RiskReviews } from "@postern/shared/domain/risk";
import { sentence } from "../../texts/messages.ts";
import { correctAddresses, fromNewCountry, isCorrect } from "./new-country.ts";
import { momentText } from "./phrases.ts";

export interface DoubtsDeps {
  readonly locate: Locate;
  readonly reviews: Pick<RiskReviews, "list">;
  /** Undefined while no history is recorded. */
  readonly changes: Pick<AccountChanges, "list"> | undefined;
}

type Doubts = NonNullable<Explanation["doubts"]>;

/** As long as suspicious sign-ins wait for an answer. */
const recentMs = 7 * 86_400_000;
const maxProtocols = 5;

/** The latest first sign-in from a country, unless the user has confirmed a sign-in since. */
function createNewCountry({ locate, changes }: DoubtsDeps) {
  return async (account: string, records: readonly RecordedDecision[], nowMs: number) => {
    const { placeOf } = await locate(correctAddresses(records));
    const [latest] = [...fromNewCountry(records, placeOf)]
      .filter(({ firstMs }) => nowMs - firstMs < recentMs)
      .toSorted((one, other) => other.firstMs - one.firstMs);
    const { country } = latest === undefined ? {} : placeOf(latest.clientIp);
    if (latest === undefined || country === undefined) return undefined;
    const changed = (await changes?.list(account)) ?? [];
    const isConfirmed = changed.some(({ event, timeMs }) => event === "risk.confirm" && timeMs > latest.firstMs);
    if (isConfirmed) return undefined;
    const there = records.filter((record) => isCorrect(record) && placeOf(record.clientIp).country === country);
    const protocols = [...new Set(there.map(({ protocol }) => protocol))].slice(0, maxProtocols);
    return { country, time: new Date(latest.firstMs).toISOString(), client_ip: latest.clientIp, protocols };
  };
}

/** What says that someone else may know the password of an account. Undefined if nothing does. */
export function createDoubts(deps: DoubtsDeps) {
  const newCountry = createNewCountry(deps);
  return async (account: string, records: readonly RecordedDecision[], nowMs: number): Promise<Doubts | undefined> => {
    const [country, { length: suspicious }] = await Promise.all([
      newCountry(account, records, nowMs),
      deps.reviews.list(account),
    ]);
    return country === undefined && suspicious === 0
      ? undefined
      : { suspicious, ...(country !== undefined && { new_country: country }) };
  };
}

/** By which protocols, as far as the history has it; earlier versions did not say. */
export function newCountrySentence(first: NonNullable<Doubts["new_country"]>, nowMs: number): Sentence {
  const { country, client_ip: address, time, protocols = [] } = first;
  const facts = { country, address, at: momentText(time, nowMs) };
  return protocols.length === 0
    ? sentence("doubt.new_country", facts)
    : sentence("doubt.new_country_by", { ...facts, protocols: protocols.join(", ") });
}

export function doubtSentences({ suspicious, new_country: first }: Doubts, nowMs: number): readonly Sentence[] {
  return [
    ...(first === undefined ? [] : [newCountrySentence(first, nowMs)]),
    ...(suspicious === 0 ? [] : [sentence("doubt.suspicious", { count: suspicious })]),
    sentence("doubt.ask"),
  ];
}
