import type { AccountChange, AddressPlace, DecisionHistoryPage, DecisionRecord } from "@postern/shared/contracts";

export const sampleNowMs = Date.parse("2030-05-06T14:00:00.000Z");

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const isoOf = (ms: number): string => new Date(ms).toISOString();

const places: Readonly<Record<string, AddressPlace>> = {
  "203.0.113.9": { country: "DE", system: 64_500, owner: "Example Cable" },
  "192.0.2.40": { country: "DE", system: 64_501, owner: "Example Mobile" },
  "198.51.100.7": { country: "NG", system: 64_502, owner: "Example Hosting" },
  "2001:db8:1::9": { country: "FR", system: 64_503 },
};

export function sampleRecord(hoursAgo: number, fields: Partial<DecisionRecord> = {}): DecisionRecord {
  const time = isoOf(sampleNowMs - hoursAgo * hourMs);
  const { client_ip: address = "203.0.113.9" } = fields;
  const place = places[address];
  const [start = ""] = /^(?:\d+\.\d+\.\d+|[0-9a-f]+:[0-9a-f]+:[0-9a-f]+)/u.exec(address) ?? [];
  return {
    time,
    first_time: time,
    count: 1,
    outcome: "ok",
    text: "the sign-in succeeded",
    channel: "mail",
    protocol: "imap",
    client_ip: address,
    network: address.includes(":") ? `${start}::/48` : `${start}.0/24`,
    ...(place && { place }),
    account: "alice@example.test",
    instance: "",
    session: "0b1f9e52-3c1d",
    ...fields,
  };
}

const wrong = { outcome: "denied", reason: "wrong_password", text: "the password was wrong" } as const;

/** Ordinary successes by day. */
function counted(counts: readonly number[], firstDay: number, fields: Partial<DecisionRecord>): DecisionRecord {
  const days = counts.map((count, index) => ({
    date: isoOf(sampleNowMs - (firstDay + index) * dayMs).slice(0, 10),
    count,
  }));
  const count = counts.reduce((sum, one) => sum + one, 0);
  const record = sampleRecord(firstDay * 24 + 1, fields);
  return {
    ...record,
    first_time: isoOf(sampleNowMs - (firstDay + counts.length - 1) * dayMs - 6 * hourMs),
    count,
    days: days.filter((day) => day.count > 0),
  };
}

/** A month of an account: at home, on the way, once in France, and an attacker. */
export function sampleHistory(): DecisionHistoryPage {
  const home = Array.from({ length: 30 }, (_, day) => (day % 7 < 5 ? 14 + ((day * 5) % 9) : 2));
  const phone = Array.from({ length: 22 }, (_, day) => (day % 7 < 6 ? 40 + ((day * 11) % 30) : 12));
  const bot = { client_ip: "198.51.100.7", protocol: "smtp", ...wrong } as const;
  const records = [
    sampleRecord(0.1, {
      outcome: "blocked",
      text: "the network was banned by the rule imap",
      rule: "imap",
      count: 41,
      client_ip: "198.51.100.7",
    }),
    ...[0.3, 5, 9, 26, 31, 55, 80].map((hours) => sampleRecord(hours, { ...bot, count: 1 + Math.round(hours / 9) })),
    counted(home, 0, { client: "Thunderbird" }),
    counted([6, 0, 8, 3], 0, { protocol: "submission", client: "Thunderbird" }),
    counted(phone, 0, { client_ip: "192.0.2.40" }),
    sampleRecord(30, { channel: "browser", protocol: "oidc", client: "webmail", step: "password" }),
    sampleRecord(31, { ...wrong, channel: "browser", protocol: "oidc", client: "webmail", step: "password", count: 2 }),
    sampleRecord(120, {
      outcome: "undecided",
      reason: "DIRECTORY_UNAVAILABLE",
      text: "a backend was unavailable",
      client_ip: "192.0.2.40",
    }),
    sampleRecord(200, {
      outcome: "denied",
      reason: "policy",
      text: "a policy denied it",
      client_ip: "2001:db8:1::9",
      protocol: "submission",
    }),
    counted([3, 4, 1], 8, { client_ip: "2001:db8:1::9" }),
  ];
  return { records: records.toSorted((a, b) => b.time.localeCompare(a.time)), places: "known" };
}

/** As many records as the interface lists, all from different networks. */
export function fullHistory(): DecisionHistoryPage {
  const records = Array.from({ length: 500 }, (_, index) =>
    sampleRecord(index * 0.6, {
      ...(index % 3 === 0 ? wrong : {}),
      client_ip: `198.${18 + (index % 2)}.${index % 250}.7`,
      protocol: index % 2 === 0 ? "imap" : "submission",
      account: `user${index % 120}@example.test`,
      count: 1 + (index % 40),
    }),
  );
  return { records, places: "off", next: "more" };
}

export const sampleChanges: readonly AccountChange[] = [
  { time: isoOf(sampleNowMs - 20 * hourMs), event: "second_factor.unlock", by: "operator" },
  { time: isoOf(sampleNowMs - 9 * dayMs), event: "app_password.create", by: "user" },
  { time: isoOf(sampleNowMs - 21 * dayMs), event: "second_factor.add", reason: "totp", by: "user" },
];
