import { type Static, type TSchema, Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";

/** A digest or an identifier, never what a person typed. */
const id = Type.String({ minLength: 1, maxLength: 128 });
/** An account or login name. Events are stored and sent encrypted. */
const name = Type.String({ minLength: 1, maxLength: 1024 });
const rule = Type.String({ minLength: 1, maxLength: 1024 });
const milliseconds = Type.Number({ minimum: 0 });

/** Names of one event. More are spread over several, so that each stays small. */
export const maxItems = 100;
const list = <Item extends TSchema>(item: Item) => Type.Array(item, { maxItems });

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
  unban: Type.Object({ ids: list(id) }),
  /** A flush of everything cached and counted about an account. */
  "account-flush": Type.Object({ user: name, keepsBans: Type.Optional(Type.Boolean()) }),
  /** A flush of the brute-force rules of an address. */
  "rule-flush": Type.Object({
    address: Type.String({ maxLength: 64 }),
    rule,
    protocol: Type.Optional(Type.String({ maxLength: 1024 })),
    oidcClientId: Type.Optional(Type.String({ maxLength: 1024 })),
  }),
  /** One token, or the tokens of one family. */
  "token-denied": Type.Object({ id: Type.String({ minLength: 1, maxLength: 1024 }), remainingMs: milliseconds }),
  /** All tokens that a subject has so far, by the digest of `denySubject`. */
  "subject-denied": Type.Object({ digest: id }),
} satisfies Record<string, TSchema>;

type Kinds = typeof kinds;
export type RegionEventKind = keyof Kinds;
export type RegionEvent = { [Kind in RegionEventKind]: { readonly kind: Kind } & Static<Kinds[Kind]> }[RegionEventKind];
export type EventOfKind<Kind extends RegionEventKind> = Extract<RegionEvent, { readonly kind: Kind }>;

export const regionEventKinds = Object.keys(kinds).filter(isKind);

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
