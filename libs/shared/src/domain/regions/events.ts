import { type Static, type TSchema, Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";

/** A digest or an identifier, never what a person typed. */
const id = Type.String({ minLength: 1, maxLength: 128 });
/** An account or login name. Events are stored and sent encrypted. */
const name = Type.String({ minLength: 1, maxLength: 1024 });
const rule = Type.String({ minLength: 1, maxLength: 1024 });
const milliseconds = Type.Number({ minimum: 0 });
const region = Type.String({ pattern: "^[a-z0-9-]{1,20}$" });
/** Of a count, as one region orders its changes. */
const version = Type.String({ pattern: "^[0-9]{1,16}$" });
const cut = Type.Object({ region, version });
/** Counts of regions up to these versions are void. */
const cuts = Type.Array(cut, { maxItems: 16 });
/** A flushed rule in one network. */
const FlushedScope = Type.Object({
  network: Type.String({ minLength: 1, maxLength: 64, description: "In CIDR notation." }),
  rule,
  /** Of the flush itself: it follows everything that its region had counted before. */
  version,
  cuts,
  /** The bans that were removed, and what was left of them. */
  bans: Type.Array(Type.Object({ id, remainingMs: Type.Number() }), { maxItems: 256 }),
});
export type FlushedScope = Static<typeof FlushedScope>;
export type CountCut = Static<typeof cut>;

/**
 * What one region tells the others, by kind. Times are durations that are left when the event is written: the clocks of regions may differ.
 * A kind that a version does not know is skipped, and so are unknown members.
 */
const kinds = {
  /** The first entry of a log, which has no effect. */
  begun: Type.Object({}),
  ban: Type.Object({
    /** Of this ban, unique in all regions. */
    id,
    network: Type.String({ minLength: 1, maxLength: 64, description: "In CIDR notation." }),
    rule,
    remainingMs: milliseconds,
  }),
  /** A flush of everything cached about an account, and of the facts about its sign-ins. */
  "account-flush": Type.Object({ user: name, keepsBans: Type.Optional(Type.Boolean()) }),
  /** A flush of the failures of an account over all networks. */
  "guesses-flush": Type.Object({ user: name, version, cuts }),
  /** A flush of brute-force rules for an address. */
  "rule-flush": Type.Object({
    address: Type.String({ minLength: 1, maxLength: 64 }),
    /** Everything else that is stored about the address, too. */
    isWhole: Type.Boolean(),
    scopes: Type.Array(FlushedScope, { maxItems: 64 }),
  }),
  /** One token, or the tokens of one family. */
  "token-denied": Type.Object({ id: Type.String({ minLength: 1, maxLength: 1024 }), remainingMs: milliseconds }),
  /** All tokens of a subject, by the digest of `denySubject`, with an epoch below this one. */
  "subject-denied": Type.Object({ digest: id, epoch: milliseconds }),
  /** The suspension of an account, or that it was resumed: the value as it is stored, with its revision. */
  suspension: Type.Object({ account: name, value: Type.String({ maxLength: 8192 }) }),
  /** All browser sessions that an account had when the event was written. */
  "session-end": Type.Object({ account: name }),
  /** The record of a domain, or of all, may have changed at its source. */
  "domain-flush": Type.Object({ domain: Type.Optional(Type.String({ maxLength: 253 })) }),
} satisfies Record<string, TSchema>;

type Kinds = typeof kinds;
export type RegionEventKind = keyof Kinds;
export type RegionEvent = { [Kind in RegionEventKind]: { readonly kind: Kind } & Static<Kinds[Kind]> }[RegionEventKind];
export type EventOfKind<Kind extends RegionEventKind> = Extract<RegionEvent, { readonly kind: Kind }>;

const checks = new Map(Object.entries(kinds).map(([kind, schema]) => [kind, compileCheck<TSchema>(schema)]));

function isKind(kind: unknown): kind is RegionEventKind {
  return typeof kind === "string" && Object.hasOwn(kinds, kind);
}

function isEvent(value: object, kind: RegionEventKind): value is RegionEvent {
  return checks.get(kind)?.accepts(value) === true;
}

/** The event in a decoded value, or why there is none: another version wrote it, or it is damaged. */
export function readRegionEvent(value: unknown): RegionEvent | "unknown" | "malformed" {
  if (typeof value !== "object" || value === null || !("kind" in value) || typeof value.kind !== "string")
    return "malformed";
  if (!isKind(value.kind)) return "unknown";
  return isEvent(value, value.kind) ? value : "malformed";
}
