const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** Days that are shown, the last of which is not over yet. */
export const countedDays = 14;
/** Weeks whose accounts are shown together: as many as the days may be in. */
export const countedWeeks = 3;

export const dayOf = (ms: number): number => Math.floor(ms / dayMs);
export const weekOf = (ms: number): number => Math.floor(ms / weekMs);
/** A day as people write it. */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
export const firstDayOfWeek = (week: number): number => week * 7;

/** Two days longer than it is shown, for clocks that differ. */
export const dayLifeSeconds = ((countedDays + 2) * dayMs) / 1000;
export const weekLifeSeconds = ((countedWeeks + 1) * weekMs) / 1000;

/** What is counted of the accounts of a domain: those that signed in, and those of them with a second factor or an app password. */
export const accountKinds = ["accounts", "second_factors", "app_passwords"] as const;
export type AccountKind = (typeof accountKinds)[number];

/** All domains together that are not counted by themselves. No domain has this name. */
export const otherDomains = "*";
/** Domains that are counted by themselves on one day. */
export const maxDomainsADay = 20_000;
