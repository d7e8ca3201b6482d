import { createHash, createHmac } from "node:crypto";
import { createBoundedCache } from "../../../platform/cache/bounded-cache.ts";
import { decodeCbor } from "../../../platform/cbor/decode.ts";
import { encodeCbor } from "../../../platform/cbor/encode.ts";
import type { CborEncodable, CborValue } from "../../../platform/cbor/value.ts";
import { type CidrSet, createCidrSet } from "../../../platform/net/cidr-set.ts";
import { canonicalIp } from "../../../platform/net/ip.ts";
import { systemClock } from "../../../platform/time/clock.ts";
import { isLuaObject, type LuaValue, toLuaValue } from "../lua-value.ts";
import type { FromWorker, ScriptLogLine, ScriptSet } from "../messages.ts";
import type { CallNative } from "./interpreter.ts";

export const nativeModules = Object.freeze({
  log: ["debug", "info", "warn", "error"],
  json: ["encode", "decode"],
  cbor: ["encode", "decode"],
  base64: ["encode", "decode"],
  hash: ["sha1", "sha256", "hmac_sha256"],
  cidr: ["contains", "canonical"],
  time: ["now", "now_ms", "format", "parse"],
  metrics: ["count"],
  i18n: ["text"],
} as const);

type Emit = (message: Extract<FromWorker, { readonly type: "log" | "count" }>) => void;
type Native = (...args: readonly LuaValue[]) => LuaValue;

function textOf(value: LuaValue, what: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new TypeError(`${what} must be a string`);
}

function numberOf(value: LuaValue, what: string): number {
  if (typeof value !== "number") throw new TypeError(`${what} must be a number`);
  return value;
}

function bytesOf(value: LuaValue, what: string): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(textOf(value, what));
}

/** Scripts contain few lists of networks, and use the same ones in every call. */
const maxCidrSets = 256;

function cidrNatives(): Readonly<Record<string, Native>> {
  const sets = createBoundedCache<CidrSet>({ maxEntries: maxCidrSets, evict: "least-used" });
  return {
    "cidr.canonical": (address) => canonicalIp(textOf(address, "address")),
    "cidr.contains": (networks, address) => {
      const all: readonly LuaValue[] = Array.isArray(networks) ? networks : [networks];
      const list = all.map((one) => textOf(one, "network"));
      const key = list.join(" ");
      let set = sets.get(key);
      if (set === undefined) {
        set = createCidrSet(list);
        sets.set(key, set);
      }
      return set.has(textOf(address, "address"));
    },
  };
}

function encodable(value: LuaValue): CborEncodable {
  if (value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(encodable);
  if (isLuaObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, encodable(item)]));
  return typeof value === "object" ? null : value;
}

function fromCbor(value: CborValue): LuaValue {
  if (value === null) return undefined;
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, item]) => [name, fromCbor(item)]));
  if (Array.isArray(value)) return value.map(fromCbor);
  return toLuaValue(value);
}

const formats: Readonly<Record<string, Native>> = {
  "json.encode": (value) => JSON.stringify(encodable(value)),
  "json.decode": (text) => toLuaValue(JSON.parse(textOf(text, "JSON"))),
  "cbor.encode": (value) => new Uint8Array(encodeCbor(encodable(value))),
  "cbor.decode": (bytes) => fromCbor(decodeCbor(Buffer.from(bytesOf(bytes, "CBOR")))),
  "base64.encode": (value) => Buffer.from(bytesOf(value, "value")).toString("base64"),
  "base64.decode": (text) => new Uint8Array(Buffer.from(textOf(text, "base64"), "base64")),
  "hash.sha1": (value) => createHash("sha1").update(bytesOf(value, "value")).digest("hex"),
  "hash.sha256": (value) => createHash("sha256").update(bytesOf(value, "value")).digest("hex"),
  "hash.hmac_sha256": (key, value) =>
    createHmac("sha256", bytesOf(key, "key")).update(bytesOf(value, "value")).digest("hex"),
  "time.now": () => Math.floor(systemClock.now() / 1000),
  "time.now_ms": () => systemClock.now(),
  "time.format": (seconds) => new Date(numberOf(seconds, "seconds") * 1000).toISOString(),
  "time.parse": (text) => {
    const milliseconds = Date.parse(textOf(text, "time"));
    if (Number.isNaN(milliseconds)) throw new TypeError("not an RFC 3339 time");
    return milliseconds / 1000;
  },
};

/** Maximum length of a script's log line. */
const maxMessage = 2048;

/** The synchronous modules, which run in the worker. `session`: that of the running call. */
export function createNatives(texts: ScriptSet["texts"], emit: Emit, session: () => string | undefined): CallNative {
  const log =
    (level: ScriptLogLine["level"]): Native =>
    (text, fields) => {
      const message = textOf(text, "message").slice(0, maxMessage);
      emit({ type: "log", script: "", level, message, fields, session: session() });
      return undefined;
    };
  const natives: Readonly<Record<string, Native>> = {
    ...formats,
    ...cidrNatives(),
    ...Object.fromEntries(nativeModules.log.map((level) => [`log.${level}`, log(level)])),
    "metrics.count": (name, by) => {
      emit({
        type: "count",
        script: "",
        name: textOf(name, "name"),
        by: by === undefined ? 1 : numberOf(by, "by"),
      });
      return undefined;
    },
    "i18n.text": (key, language, fallback) => {
      const name = textOf(key, "key");
      const wanted = textOf(language ?? "en", "language").toLowerCase();
      const found = [wanted, wanted.split("-", 1)[0] ?? wanted, "en"].map((one) => texts[one]?.[name]);
      return found.find((text) => text !== undefined) ?? fallback ?? name;
    },
  };
  return (name, args) => {
    const native = Object.hasOwn(natives, name) ? natives[name] : undefined;
    if (native === undefined) throw new TypeError(`no function ${name}`);
    return native(...args);
  };
}
